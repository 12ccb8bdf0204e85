import { computed, onScopeDispose, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'

import { isEmptyQuery, isTrait, matches, namesOf, termsOf, type Query } from '../protocol/search'
import { historyOf } from '../protocol/timeline'
import { useOutbox } from '../stores/outbox'
import { useRoom } from '../stores/room'
import { useEarlier } from './useEarlier'
import { useItemAgent } from './useItemAgent'

/** So many hits are enough to look at before somebody asks for more. */
const ENOUGH = 40
/** Of 200 facts each; then somebody has to ask again. */
const PAGES = 25

/** Looks through the history, also through what is only in the relay yet. The query is in the address. */
export function useHistory() {
  const [room, outbox, route, router] = [useRoom(), useOutbox(), useRoute(), useRouter()]
  const agentOf = useItemAgent()
  const { isReading, isOnline, mayRead, read, stop } = useEarlier()

  const text = (name: string) => {
    const value = route.query[name]
    return typeof value === 'string' ? value : ''
  }
  const query = computed<Query>(() => {
    const is = text('is')
    return { words: text('q'), agent: text('agent'), project: text('project'), is: isTrait(is) ? is : '' }
  })
  const entries = computed(() => historyOf(room.state, outbox.entries).map((item) => ({ item, agent: agentOf(item) })))
  const terms = computed(() => termsOf(query.value.words))
  /** The newest first. */
  const found = computed(() => entries.value.filter((entry) => matches(entry, query.value, terms.value)).reverse())
  const isFiltered = computed(() => !isEmptyQuery(query.value))
  const agents = computed(() => namesOf(entries.value, ({ name }) => name))
  const projects = computed(() => namesOf(entries.value, ({ project }) => project))

  function change(part: Partial<Query>): void {
    const { words, agent, project, is } = { ...query.value, ...part }
    const wanted = Object.entries({ q: words, agent, project, is }).filter(([, value]) => value !== '')
    void router.replace({ query: Object.fromEntries(wanted) })
  }

  /** Looks further back than now. */
  function further(): void {
    const enough = found.value.length + ENOUGH
    void read(() => found.value.length >= enough, PAGES)
  }

  watch(
    [query, mayRead],
    () => {
      if (found.value.length < ENOUGH) void read(() => found.value.length >= ENOUGH, isFiltered.value ? PAGES : 1)
    },
    { immediate: true },
  )
  onScopeDispose(stop)

  return { query, terms, found, isFiltered, agents, projects, isReading, isOnline, mayRead, change, further, read, stop }
}
