import { Question, UserError } from '@signalman/runtime'
import { choice } from '../../../bot/grammar/slots.ts'
import type { CommandContext, Requester, Rights } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { pluralize } from '../../../domain/wording.ts'
import {
  buildExport,
  EXPORT_FORMATS,
  type ExportFormat,
  findExportTimes,
  type IndicatorExport,
} from '../indicators/export.ts'
import { findLatest } from '../indicators/stix.ts'
import { ONE_EVENT } from '../parse.ts'
import { isFalsePositive } from '../rules/case-steps.ts'
import { safeDomain } from '../rules/defang.ts'
import { findIndicators, type Indicators } from '../rules/indicators.ts'
import type { LoadedEvent } from '../rules/loaded-event.ts'
import { fetchPageFile, PAGE_SOURCE, SCREENSHOT, sendPageFile } from '../screenshots/screenshots.ts'
import { sendEventFiles } from '../send-files.ts'
import { buildKit } from '../takedown/kit.ts'
import { describeCaseState } from '../views/case-words.ts'
import type { ThreatDependencies } from './dependencies.ts'
import { type EventRequest, eventVerbs } from './event-verbs.ts'

/** `export ID as stix` */
const FORMAT_WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  EXPORT_FORMATS.map((format) => [format, format]),
)

/** The verbs that send an event's files in a DM. */
export function fileCommands(threats: ThreatDependencies): VerbDeclaration[] {
  const eventVerb = eventVerbs(threats)
  const sendsFile = { isAct: true, isPersonal: true } as const
  const sendsEvidence = { ...sendsFile, needs: 'operator' } as const
  return [
    eventVerb(
      {
        line: '/threat export',
        slots: [...ONE_EVENT, choice('format', FORMAT_WORDS, { flag: 'format' })],
        description: 'Send yourself the indicators as CSV and STIX 2.1 files',
        flags: {
          format: { type: EXPORT_FORMATS, help: 'Only this file', valueName: EXPORT_FORMATS.join('|') },
          personal: 'switch',
          sure: 'switch',
        },
        ...sendsEvidence,
      },
      (request) => exportIndicators(threats, request),
    ),
    eventVerb(
      {
        line: '/threat kit',
        description:
          'Send yourself the takedown kit: letters to the registrar and host, indicators, and the screenshot in one ZIP file',
        ...sendsEvidence,
      },
      (request) => sendTakedownKit(threats, request),
    ),
    eventVerb(
      {
        line: '/threat screenshot',
        description: 'Send yourself the screenshot of the page',
        ...sendsFile,
      },
      (request) => sendPageFile(SCREENSHOT, request),
    ),
    eventVerb(
      {
        line: '/threat source',
        description: 'Send yourself the source of the page as a text file',
        ...sendsFile,
      },
      (request) => sendPageFile(PAGE_SOURCE, request),
    ),
  ]
}

async function exportIndicators(
  threats: ThreatDependencies,
  { context, id, loadedEvent, args: { flags } }: EventRequest,
) {
  const isPersonal = flags.personal === true
  // The parser accepts only these formats.
  const format = flags.format as ExportFormat | undefined
  if (isPersonal && !flags.sure) throw askAboutPersonalData(id, format)
  await refuseFalsePositive(threats, context, id)
  const { files, summary } = await buildIndicatorFiles(threats, {
    context,
    id,
    loadedEvent,
    isPersonal,
    format,
    urls: 'exact',
  })
  return sendEventFiles(context, `Indicators of ${describeEvent(id, loadedEvent)}: ${summary}`, files)
}

interface ExportRequest {
  context: CommandContext
  id: string
  loadedEvent: LoadedEvent
  isPersonal: boolean
  format: ExportFormat | undefined
  urls: 'exact' | 'trimmed'
}

/** A file would call the domain malicious, which someone has denied. */
async function refuseFalsePositive(
  { cases }: Pick<ThreatDependencies, 'cases'>,
  context: Requester & Rights,
  id: string,
): Promise<void> {
  const threatCase = await cases.find(context, id)
  if (!threatCase || !isFalsePositive(threatCase)) return
  throw new UserError(
    `${describeCaseState(threatCase)}. Signalman doesn’t create files that report it. If it’s a threat after all, reopen the case.`,
    [{ label: 'Reopen', line: `/threat reopen ${id}` }],
  )
}

/** Builds the indicator files, and a summary that counts their content. */
async function buildIndicatorFiles(
  { versions }: ThreatDependencies,
  { context, id, loadedEvent, isPersonal, format, urls }: ExportRequest,
): Promise<IndicatorExport & { indicators: Indicators; knownSince: Date; indicatorsChangedAt: Date }> {
  const event = isPersonal ? loadedEvent.fullEvent : loadedEvent.forMembers.event
  const indicators = findIndicators(loadedEvent.fullEvent, { urls, withOwner: isPersonal })
  // Stored, so a retry creates the same files.
  const times = await context.remember('times', () =>
    findExportTimes(versions, context, { id, event, indicators, isPersonal }),
  )
  return {
    ...buildExport(event, indicators, { id, ...times, isPersonal }, format),
    indicators,
    knownSince: new Date(times.created),
    indicatorsChangedAt: findLatest(times.modified),
  }
}

/** Sends the takedown kit. It never contains personal data of the domain's owner, because people forward the kit. */
async function sendTakedownKit(threats: ThreatDependencies, request: EventRequest) {
  const { context, id, loadedEvent } = request
  const { event: redactedEvent } = loadedEvent.forMembers
  await refuseFalsePositive(threats, context, id)
  const exportRequest = {
    context,
    id,
    loadedEvent,
    isPersonal: false,
    format: undefined,
    urls: 'trimmed',
  } as const
  const {
    files,
    summary: contents,
    indicators,
    knownSince,
    indicatorsChangedAt,
  } = await buildIndicatorFiles(threats, exportRequest)
  // Without a screenshot, the kit is still useful. It then contains the reason instead.
  const screenshot = await fetchPageFile(SCREENSHOT, request).catch((error: unknown) => {
    if (error instanceof UserError) return error.message
    throw error
  })
  const { environment } = context
  const kit = await buildKit({
    id,
    environment,
    redactedEvent,
    fullEvent: loadedEvent.fullEvent,
    indicators,
    files,
    knownSince,
    indicatorsChangedAt,
    screenshot,
  })
  const letters = pluralize(kit.letters, 'letter')
  const picture = typeof screenshot === 'string' ? '' : ', the screenshot'
  const summary = `Takedown kit of ${describeEvent(id, loadedEvent)}: ${letters}${picture}, and the indicators: ${contents}`
  const instructions = 'Read the letters and look up their recipients before you send them.'
  return sendEventFiles(context, [summary, ...kit.missing, instructions].join(' '), [kit.file])
}

const describeEvent = (id: string, { forMembers: { event } }: LoadedEvent): string =>
  event.domain ? safeDomain(event.domain, 120) : id

/** Files can be forwarded, so they contain personal data only after a confirmation. */
function askAboutPersonalData(id: string, format: ExportFormat | undefined): Question {
  const line = `/threat export ${id}${format ? ` --format ${format}` : ''}`
  return new Question(
    'The files would include the name and email address of the domain’s owner, and so would every place you share them. Include them?',
    [
      { label: 'Export without them', line },
      { label: 'Export personal data', line: `${line} --personal --sure` },
    ],
  )
}
