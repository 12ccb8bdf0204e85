import { useI18n } from 'vue-i18n'

/** More names would not fit on a phone. */
const MOST = 2

/** Says which other devices are online. */
export function useOnlineWords(): (names: readonly string[]) => string {
  const { t } = useI18n()

  return (names) => {
    if (names.length === 0) return t('devices.only_this')
    if (names.length <= MOST) return t('devices.online', { names: names.join(t('common.comma')) })
    return t('devices.online_more', { name: names[0], n: names.length - 1 })
  }
}
