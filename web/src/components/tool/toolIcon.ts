import type { IconName } from '../icon/icons'

const ICONS: Readonly<Record<string, IconName>> = {
  canvas: 'pencil',
  calculator: 'calculator',
  choice: 'check',
  multi_choice: 'checks',
  confirm: 'check',
  input: 'keyboard',
}

export function toolIcon({ name, applicationId }: { readonly name: string; readonly applicationId: string }): IconName {
  return applicationId ? 'miniapp' : (ICONS[name] ?? 'tools')
}
