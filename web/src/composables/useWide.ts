import { onScopeDispose, ref, type Ref } from 'vue'

/** True from 1000 px on: the dock is a column, menus are popovers, number keys work. */
export function useWide(): Readonly<Ref<boolean>> {
  const query = matchMedia('(min-width: 1000px)')
  const isWide = ref(query.matches)
  const update = () => {
    isWide.value = query.matches
  }
  query.addEventListener('change', update)
  onScopeDispose(() => {
    query.removeEventListener('change', update)
  })
  return isWide
}
