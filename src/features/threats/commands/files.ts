import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { choice, parameter } from '../../../bot/grammar/parameters.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import type { ThreatDependencies } from '../dependencies.ts'
import { loadEvent, readEvent, runForEach } from '../event-ids/read-events.ts'
import { buildExport, type ExportFormat } from '../indicators/export.ts'
import { requireIds } from '../parse.ts'
import { safeDomain } from '../rules/defang.ts'
import { writeEventCommand } from '../rules/ids.ts'
import type { LoadedEvent } from '../rules/shown-event.ts'
import { PAGE_SOURCE, SCREENSHOT, sendPageFile } from '../screenshots/screenshots.ts'
import { sendEventFiles } from '../send-files.ts'
import { describeState } from '../views/case.ts'
import { eventVerbs } from './event-verbs.ts'

/** Each event has two files, and each file is a message in the DM. */
const MAX_EXPORTED = 10

/** The verbs that send an event's files in a DM. */
export function fileCommands(threats: ThreatDependencies): VerbDeclaration[] {
  const eventVerb = eventVerbs(threats)
  const sendsFile = { isAct: true } as const
  return [
    {
      line: '/threat export',
      parameters: [
        parameter('ids', 'event', { required: true, many: true }),
        choice('format', { csv: 'csv', stix: 'stix' }),
      ],
      description: 'Send yourself the indicators as CSV and STIX 2.1 files',
      needs: 'operator',
      ...sendsFile,
      run: (context, args) => exportIndicators(threats, context, args),
    },
    eventVerb(
      {
        line: '/threat screenshot',
        hidden: true,
        label: 'get the screenshot of',
        description: 'Send yourself the screenshot of the page',
        ...sendsFile,
      },
      (request) => sendPageFile(SCREENSHOT, request),
    ),
    eventVerb(
      {
        line: '/threat source',
        hidden: true,
        label: 'get the page source of',
        description: 'Send yourself the source of the page as a text file',
        ...sendsFile,
      },
      (request) => sendPageFile(PAGE_SOURCE, request),
    ),
  ]
}

/** Sends the files of events in one message, which says why an event has none. Throws if none of them has any. */
async function exportIndicators(
  threats: ThreatDependencies,
  context: CommandContext,
  { words, values: typed }: Arguments,
): Promise<Message> {
  const ids = requireIds('export', words, MAX_EXPORTED)
  // The parser accepts only these formats.
  const format = typed.format as ExportFormat | undefined
  async function build(id: string, { fullEvent, facts }: LoadedEvent) {
    // Addresses are exported as reported, but texts only if everyone may see them.
    const { domain, type, brand, criticality } = facts.event
    const event = { ...fullEvent, type, brand, criticality }
    // The act's own time, so a retry creates the same files.
    const { files, summary } = await buildExport(event, { id, now: context.begunAt, format })
    return { files, sentence: `Indicators of ${domain ? safeDomain(domain, 120) : id}: ${summary}` }
  }
  // Remembered, so that a retry sends the same files, also if it can't read one of the events.
  const { values, failures } = await context.once('exported', () =>
    runForEach('export', ids, async (id) => {
      const loadedEvent = await readEvent(context, '/threat export', id)
      await refuseFalsePositive(threats, context, id)
      await build(id, loadedEvent)
      return id
    }),
  )
  const exported = await Promise.all(values.map(async (id) => build(id, await loadEvent(context, id))))
  return sendEventFiles(
    context,
    [...exported.map(({ sentence }) => sentence), ...failures].join(' '),
    exported.flatMap(({ files }) => files),
  )
}

/** A file would call the domain malicious, which someone has denied. */
async function refuseFalsePositive(
  { threatCases }: Pick<ThreatDependencies, 'threatCases'>,
  { workspaceId, environment }: Requester,
  id: string,
): Promise<void> {
  const threatCase = await threatCases.find({ workspaceId, environment, eventId: id })
  if (threatCase?.state !== 'false-positive') return
  throw new UserError(
    `${describeState(threatCase)}. Signalman doesn’t create files that report it. If it’s a threat after all, reopen the case.`,
    [{ label: 'Reopen', line: writeEventCommand('take', id) }],
  )
}
