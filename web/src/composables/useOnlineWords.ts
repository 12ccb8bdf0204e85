import { useI18n } from 'vue-i18n'

/** More would not fit on a phone. */
const SHOWN = 2

/** Says which other devices are online. */
export function useOnlineWords(): (names: readonly string[]) => string {
  const { t } = useI18n()

  return (names) => {
    if (names.length === 0) return t('devices.only_this')
    const shown = names.slice(0, SHOWN).join(t('common.comma'))
    const n = names.length - SHOWN
    return n > 0 ? t('devices.online_more', { names: shown, n }) : t('devices.online', { names: shown })
  }
}
