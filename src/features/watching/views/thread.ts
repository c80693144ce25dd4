import { checkName } from '../../../blocks/checks.ts'
import { utc } from '../../../blocks/dates.ts'
import { context } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { date, paragraph, richText, words } from '../../../blocks/rich-text.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { durationWords } from '../../../domain/durations.ts'
import { badgeOf } from '../../../domain/environment.ts'
import type { DetailLine, DetailsModel } from '../../../domain/watching/card-model.ts'
import { grouped } from '../../../domain/wording.ts'

const TITLE = 200
const NAME = 80

/** What happened, first to last: the one reply in a card's thread. */
export function detailsView({ title, lines, leftOut, environment }: DetailsModel): Message {
  const head = `${clip(oneLine(title), TITLE)}${badgeOf(environment)}`
  const earlier =
    leftOut > 0 ? [`${grouped(leftOut)} earlier changes are left out; /hc history has them.`] : []
  return message(
    literal([head, ...earlier, ...lines.map((line) => `${utc(line.at)} ${happened(line)}`)].join('\n')),
    earlier.map((note) => context(note)),
    richText(
      paragraph(
        words(head, { bold: true }),
        ...lines.flatMap((line) => [words('\n'), date(line.at), words(`  ${happened(line)}`)]),
      ),
    ),
  )
}

const SIGNS: Readonly<Record<DetailLine['what'], string>> = {
  down: '🔴',
  up: '🟢',
  deleted: '⚪',
  unseen: '⚪',
  acknowledged: '👤',
}

function happened({ what, check, downMs, byName }: DetailLine): string {
  const name = check ? clip(checkName(check), NAME) : ''
  const after = downMs === undefined ? '' : ` after ${durationWords(downMs)}`
  const says = {
    down: `${name} went down`,
    up: `${name} came up${after}`,
    deleted: `${name} was deleted${after}`,
    unseen: `${name} is not watched any more${after}`,
    acknowledged: `${byName ?? 'Somebody'} is on it`,
  }[what]
  return `${SIGNS[what]} ${says.trim()}`
}
