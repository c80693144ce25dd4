import { Notice, newId, Question } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { quoted } from '../../../domain/quoting.ts'
import { pluralize } from '../../../domain/wording.ts'
import { requireChannel } from '../channel.ts'
import type { WatchStore } from '../rows/watching.ts'
import type { Silence, SilenceTimes } from '../rules/silence.ts'
import { addSilences } from './save-silence.ts'
import { listDurations } from './times.ts'

/** Mutes the health checks of a card in its channel, each by a mute of its own, or asks for how long. Throws Notice and Question. */
export async function muteCard(
  store: Pick<WatchStore, 'onIt' | 'watches' | 'history' | 'within'>,
  context: CommandContext,
  cardId: string,
  times: SilenceTimes | undefined,
): Promise<Message> {
  const { workspaceId, environment, userId, begunAt } = context
  const channelId = requireChannel(context)
  const checks = await store.onIt.listChecks(workspaceId, cardId)
  const [first, ...others] = checks
  if (!first) throw new Notice('Everything on this message is over. Nothing was muted.')
  if (!times)
    throw new Question(
      `For how long should ${pluralize(checks.length, 'health check')} of this message be muted?`,
      listDurations(quoted(cardId), '', '/hc watch-mute'),
    )
  const { name: ownerName = userId } = context.actor
  const toSilence = ({ uuid, name }: typeof first): Silence => ({
    ...{ id: newId(), workspaceId, environment, channelId, isMaintenance: false, reason: '' },
    ...{ subject: { kind: 'check', uuid, name }, ...times, ownerId: userId, ownerName, madeAt: begunAt },
  })
  const decision = {
    verb: '/hc mute',
    object: `health-checks ${checks.map(({ uuid }) => uuid).join(', ')}`,
    objectName: checks.map(({ name }) => name).join(', '),
    after: { channelId, from: times.from, to: times.to },
  }
  return addSilences(store, context, [toSilence(first), ...others.map(toSilence)], decision)
}
