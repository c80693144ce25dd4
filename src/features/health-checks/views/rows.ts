import type { SectionBlock } from '@slack/types'
import type { HealthCheck } from '../../../api/health-checks.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { section } from '../../../blocks/layout.ts'
import { clip, oneLine } from '../../../blocks/text.ts'
import { quoted } from '../../../domain/quoting.ts'
import { statusLabel, statusWord } from '../status.ts'

const NAME = 150
const TARGET = 200
const MAX_PROTOCOL = 40

export const nameOf = (check: HealthCheck): string => clip(oneLine(check.name), NAME) || check.uuid

/** `HTTPS shop.example.com, port 443`; what the service did not say is left out. */
export function targetOf({ protocol, target, port }: HealthCheck): string {
  const address = [protocol && clip(oneLine(protocol), MAX_PROTOCOL), target && clip(oneLine(target), TARGET)]
    .filter(Boolean)
    .join(' ')
  return [address, port !== undefined && `port ${port}`].filter(Boolean).join(', ')
}

/** One check of a listing, with a button that opens it. */
export function checkRow(check: HealthCheck): SectionBlock {
  const name = nameOf(check)
  const lines = [`${statusLabel(check.status)} · ${name}`, targetOf(check)]
  return section(
    lines.filter(Boolean).join('\n'),
    commandButton('Open', `/hc show ${quoted(check.uuid)}`, { spoken: `Open ${name}` }),
  )
}

/** The same in one line of words. */
export const checkLine = (check: HealthCheck): string =>
  [`${statusWord(check.status)}: ${nameOf(check)}`, targetOf(check)].filter(Boolean).join(', ')
