import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { CasePerson } from '../cases/case-steps.ts'
import { safeLine } from '../defang.ts'
import type { TakedownParts } from './start-watch.ts'
import { stoppedView } from './views/outcomes.ts'
import { STOPPED_WORDS } from './views/words.ts'

/** Ends a watch. Its health check stays, and the answer says so. */
export async function stopTakedownWatch(
  { takedownWatches, threatCases, wake }: Omit<TakedownParts, 'reader'>,
  context: CommandContext,
  eventId: string,
): Promise<Message> {
  const { workspaceId, enterpriseId, environment, now, reference } = context
  const asked = { workspaceId, environment, eventId }
  const kept = await context.keep('watch', async () => {
    const found = await takedownWatches.find(asked)
    // Kept with the act: a second run must not end a watch that was started since.
    return found && { id: found.id, checkUuid: found.checkUuid, checkName: found.checkName, eventId }
  })
  if (!kept)
    throw new UserError('This threat event is not watched.', [
      { label: 'Watch until it is down', line: `/threat watch ${eventId}` },
    ])
  const by: CasePerson = {
    userId: context.userId,
    name: safeLine((await context.actor()).name ?? context.userId, 60),
  }
  await context.change(
    {
      verb: '/threat unwatch',
      object: `threat event ${eventId}`,
      before: { check: kept.checkUuid, name: kept.checkName },
      isRepeatable: true,
    },
    async () => {
      await takedownWatches.remove({ ...asked, id: kept.id })
      await threatCases.step({
        ...asked,
        enterpriseId,
        kind: 'note',
        by,
        now,
        reference,
        text: STOPPED_WORDS,
      })
    },
  )
  wake()
  return stoppedView(kept)
}
