import type { Arguments } from '../../../bot/grammar/read-words.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Verb, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { eventForViewer } from '../audience.ts'
import type { ThreatDependencies } from '../dependencies.ts'
import { readEvent } from '../event-ids/read-events.ts'
import { ONE_EVENT, requireId } from '../parse.ts'
import type { LoadedEvent, ShownEvent } from '../rules/shown-event.ts'

/** The input of a verb about one event. */
export interface EventRequest {
  context: CommandContext
  id: string
  loadedEvent: LoadedEvent
  /** The event as this person may see it. */
  shown: ShownEvent
  /** The service's own origin. Files are only fetched from there. */
  origin: string
  args: Arguments
}

type EventVerb = Pick<VerbDeclaration, 'line' | 'description'> & Partial<Omit<VerbDeclaration, 'run'>>

/** Declares verbs that read one event. Each read is audited under the verb's name. */
export const eventVerbs =
  ({ getOrigin }: ThreatDependencies) =>
  (declared: EventVerb, run: (request: EventRequest) => ReturnType<Verb['run']>): VerbDeclaration => {
    const [auditedVerb = '', verb = ''] = /^\/threat (\S+)/.exec(declared.line) ?? []
    return {
      needs: 'viewer',
      parameters: ONE_EVENT,
      ...declared,
      async run(context, args) {
        const id = requireId(verb, args.words)
        const loadedEvent = await readEvent(context, auditedVerb, id)
        const shown = eventForViewer(context, loadedEvent)
        return run({ context, id, loadedEvent, shown, origin: getOrigin(context.environment), args })
      },
    }
  }
