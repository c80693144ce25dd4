import { inTurns, UserError } from '@signalman/runtime'
import { literal, type Message, message, section } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import {
  type FieldTable,
  flagsOf,
  readFields,
  switchField,
  textField,
  usageOf,
  writeFields,
} from '../../../bot/typed/fields.ts'
import { type ReportStore, readReport, readSpan } from './read-report.ts'
import { reportFile, reportView, type ShownReport } from './views.ts'

interface ReportLine {
  from?: string
  to?: string
  file?: true
}

const REPORT: FieldTable<ReportLine> = {
  from: textField('from', 'From when', {
    hint: '24h, 7d, a date, a weekday or a time that has passed.',
    takes: 'T',
  }),
  to: textField('to', 'Until when; now unless given', { takes: 'T' }),
  file: switchField('file', 'As a Markdown file in your direct messages', { says: 'as a file' }),
}

const CARD = /^[A-Za-z0-9_-]{22}$/

/** `/hc report`: what happened, as it was written down. */
export function reportCommands(routes: Routes, { watching }: { watching: ReportStore }): void {
  routes.verb({
    typed: `/hc report [CARD] ${usageOf(REPORT)}`,
    does: 'Report on the last outage told here, or on a stretch of time: what fell, who was on it and when, what was told',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    acts: ({ flags }) => flags.file === true,
    alsoTyped: { postmortem: 'report', incident: 'report' },
    example: 'report --from 24h',
    flags: flagsOf(REPORT),
    async run(context, { words, flags }) {
      const [cardId] = words
      if (cardId !== undefined && !CARD.test(cardId))
        throw new UserError('A report is of a card, by its button, or of a time: /hc report --from 24h.')
      const typed = readFields(REPORT, flags)
      const shown = await shownReport(watching, context, cardId, typed)
      return typed.file ? sendFile(context, shown) : reportView(shown)
    },
  })
}

async function shownReport(
  watching: ReportStore,
  context: CommandContext,
  cardId: string | undefined,
  { from, to }: ReportLine,
): Promise<ShownReport> {
  const { now } = context
  const { timeZone = 'UTC' } = await context.actor()
  const span = readSpan({ from, to }, now, timeZone)
  const { report, card } = await readReport(watching, context, cardId, span)
  // A button is about the same time, whenever it is pressed.
  const times = span && { from: isoMinute(span.from), to: isoMinute(span.to) }
  const line = ['/hc report', ...(card ? [card.card.id] : []), ...writeFields(REPORT, times ?? {})].join(' ')
  return { report, card, environment: card?.card.environment ?? context.environment, now, line }
}

const isoMinute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')}Z`

const SENT = 'The report is in your direct messages with Signalman, as a file.'

async function sendFile(context: CommandContext, shown: ShownReport): Promise<Message> {
  const body = Buffer.from(await inTurns(reportFile(shown)))
  const name = `report-${shown.report.span.from.toISOString().slice(0, 10)}.md`
  const told = message(literal(`${SENT} ${name}`), section(`${SENT} ${name}`))
  const slack = await context.slack()
  await context.change({ verb: '/hc report', object: `report ${name}` }, async () => {
    const { channelId } = await context.tell(context.userId, told)
    await slack.upload({ channelId }, { name, title: 'Report', body, bytes: body.length })
  })
  return told
}
