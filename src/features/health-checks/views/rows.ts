import type { SectionBlock } from '@slack/types'
import type { HealthCheck } from '../../../api/health-checks.ts'
import { checkAddress, checkName } from '../../../blocks/checks.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { section } from '../../../blocks/layout.ts'
import { quoted } from '../../../domain/quoting.ts'
import { statusLabel, statusWord } from '../status.ts'

/** `HTTPS shop.example.com, port 443`; what the service did not say is left out. */
export const targetOf = (check: HealthCheck): string =>
  [checkAddress(check), check.port !== undefined && `port ${check.port}`].filter(Boolean).join(', ')

/** One check of a listing, with a button that opens it. */
export function checkRow(check: HealthCheck): SectionBlock {
  const name = checkName(check)
  const lines = [`${statusLabel(check.status)} · ${name}`, targetOf(check)]
  return section(
    lines.filter(Boolean).join('\n'),
    commandButton('Open', `/hc show ${quoted(check.uuid)}`, { spoken: `Open ${name}` }),
  )
}

/** The same in one line of words. */
export const checkLine = (check: HealthCheck): string =>
  [`${statusWord(check.status)}: ${checkName(check)}`, targetOf(check)].filter(Boolean).join(', ')
