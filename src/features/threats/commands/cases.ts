import type { Routes } from '../../../bot/routes/routes.ts'
import { flagsOf, readFields } from '../../../bot/typed/fields.ts'
import type { PersonalStep } from '../cases/case-steps.ts'
import { listCases, readHomeCases } from '../cases/cases.ts'
import { type StepParts, takeStep } from '../cases/take-step.ts'
import { caseWindow } from '../cases/views/case.ts'
import { homeCaseBlocks } from '../cases/views/queue.ts'
import { STEPS } from '../cases/views/words.ts'
import { CUSTOMER, OVER, parseId, QUEUE } from '../parse.ts'
import { isPrivy, refuseGuests } from '../privacy/asking.ts'
import {
  startTakedownWatch,
  stopTakedownWatch,
  type TakedownParts,
} from '../takedown-watch/start-and-stop.ts'

const VERBS = [
  'take',
  'takedown-sent',
  'down',
  'up',
  'false-positive',
  'release',
  'reopen',
] as const satisfies readonly PersonalStep[]

/** Who has a threat event, and what was done about it. */
export function caseCommands(routes: Routes, parts: StepParts): void {
  const { threatCases, takedownWatches } = parts
  for (const kind of VERBS)
    routes.verb({
      typed: `/threat ${kind} ID`,
      does: STEPS[kind].does,
      needs: 'operator',
      acts: true,
      ...(kind === 'take' && { flags: flagsOf(OVER) }),
      async run(context, { words, flags }) {
        const eventId = parseId(kind, words)
        return takeStep(parts, context, { eventId, kind, ...readFields(OVER, flags) })
      },
    })

  routes.verb({
    typed: '/threat case ID',
    does: 'Who has a threat event, what was done about it and when, and what can be done next',
    needs: 'viewer',
    opens: 'to-read',
    isPersonal: true,
    async run(context, { words }) {
      await refuseGuests(context, '/threat case')
      const eventId = parseId('case', words)
      const { workspaceId, environment, userId, now } = context
      const event = { workspaceId, environment, eventId }
      const [found, watch] = await Promise.all([threatCases.find(event), takedownWatches.find(event)])
      return caseWindow({ eventId, environment, found, viewerId: userId, watch, now })
    },
  })

  routes.verb({
    typed: '/threat queue [--mine] [--state S]',
    does: 'The open cases of threat events, the worst and oldest first',
    needs: 'viewer',
    isPersonal: true,
    redraws: true,
    example: 'queue --mine',
    flags: flagsOf(QUEUE),
    async run(context, { flags }) {
      await refuseGuests(context, '/threat queue')
      const { environment } = context
      return listCases(threatCases, context, { environment, ...readFields(QUEUE, flags) })
    },
  })

  routes.homeSection('for you', async (context) =>
    (await isPrivy(context)) ? homeCaseBlocks(await readHomeCases(threatCases, context), context.now) : [],
  )
}

/** The verbs that watch whether a reported site is down, and whether it comes back. */
export function takedownWatchCommands(routes: Routes, parts: TakedownParts): void {
  routes.verb({
    typed: '/threat watch ID [--customer N]',
    does: 'Watch until what a threat event is about is down: makes a health check, tells the thread of its case when it is down and when it comes back',
    needs: 'operator',
    acts: true,
    flags: flagsOf(CUSTOMER),
    run: (context, { words, flags }) =>
      startTakedownWatch(parts, context, {
        eventId: parseId('watch', words),
        typedCustomer: readFields(CUSTOMER, flags).customer,
      }),
  })
  routes.verb({
    typed: '/threat unwatch ID',
    does: 'Stop watching whether a threat event is down; its health check stays until somebody deletes it',
    needs: 'operator',
    acts: true,
    run: (context, { words }) => stopTakedownWatch(parts, context, parseId('unwatch', words)),
  })
}
