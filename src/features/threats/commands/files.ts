import { UserError } from '@signalman/runtime'
import { choice } from '../../../bot/grammar/slots.ts'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { buildExport, EXPORT_FORMATS, type ExportFormat } from '../indicators/export.ts'
import { ONE_EVENT } from '../parse.ts'
import { safeDomain } from '../rules/defang.ts'
import type { LoadedEvent } from '../rules/loaded-event.ts'
import { isFalsePositive } from '../rules/threat-case.ts'
import { PAGE_SOURCE, SCREENSHOT, sendPageFile } from '../screenshots/screenshots.ts'
import { sendEventFiles } from '../send-files.ts'
import { describeState } from '../views/case.ts'
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
        },
        ...sendsEvidence,
      },
      (request) => exportIndicators(threats, request),
    ),
    eventVerb(
      {
        line: '/threat screenshot',
        hidden: true,
        description: 'Send yourself the screenshot of the page',
        ...sendsFile,
      },
      (request) => sendPageFile(SCREENSHOT, request),
    ),
    eventVerb(
      {
        line: '/threat source',
        hidden: true,
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
  // The parser accepts only these formats.
  const format = flags.format as ExportFormat | undefined
  await refuseFalsePositive(threats, context, id)
  // Addresses are exported as reported, but texts only if everyone may see them.
  const { type, brand, criticality } = loadedEvent.facts.event
  const event = { ...loadedEvent.fullEvent, type, brand, criticality }
  // The act's own time, so a retry creates the same files.
  const { files, summary } = buildExport(event, { id, now: context.begunAt, format })
  return sendEventFiles(context, `Indicators of ${describeEvent(id, loadedEvent)}: ${summary}`, files)
}

/** A file would call the domain malicious, which someone has denied. */
async function refuseFalsePositive(
  { threatCases }: Pick<ThreatDependencies, 'threatCases'>,
  { workspaceId, environment }: Requester,
  id: string,
): Promise<void> {
  const threatCase = await threatCases.find({ workspaceId, environment, eventId: id })
  if (!threatCase || !isFalsePositive(threatCase)) return
  throw new UserError(
    `${describeState(threatCase)}. Signalman doesn’t create files that report it. If it’s a threat after all, reopen the case.`,
    [{ label: 'Reopen', line: `/threat take ${id}` }],
  )
}

const describeEvent = (id: string, { forMembers: { event } }: LoadedEvent): string =>
  event.domain ? safeDomain(event.domain, 120) : id
