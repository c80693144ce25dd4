import { readAnswer } from '../delivery/line.ts'
import { isFields, objectsIn, textIn } from '../json.ts'
import type { OptionsAnswer, Post } from '../protocol.ts'
import { actor, ERROR_SENTENCES, filledView, type Slack } from '../slack.ts'
import { checkOptions } from '../strict/options.ts'
import { withEmoji } from '../strict/stored.ts'
import { channelFields } from './command.ts'
import { sendInteraction } from './interaction.ts'
import { findSurface, findSurfaceElement } from './spot.ts'

/** A person types into an external select: `block_suggestion`. Returns the app's options or option groups. */
export async function suggest(slack: Slack, post: Post<'options'>): Promise<OptionsAnswer> {
  const { journal, offeredOptions, log } = slack
  const person = actor(slack, post.user)
  const spot = findSurface(slack, person, post.place)
  findSurfaceElement(spot, post.blockId, post.actionId)
  const seq = log.seq
  const payload = {
    type: 'block_suggestion',
    ...(spot.kind === 'view'
      ? { container: { type: 'view', view_id: spot.view.id }, view: filledView(slack, person, spot.view, {}) }
      : {
          container: {
            type: 'message',
            message_ts: spot.message.ts,
            channel_id: spot.message.channel,
            is_ephemeral: spot.message.ephemeral,
          },
          channel: channelFields(slack, spot.message.channel),
        }),
    action_id: post.actionId,
    block_id: post.blockId,
    value: post.query,
  }
  const told = await sendInteraction(slack, person, payload)
  const fail = (error: string, message: string): OptionsAnswer => ({
    ok: false,
    deliveryId: told.delivery.id,
    seq,
    error,
    message,
  })
  if (told.verdict !== 'ok') return fail(told.verdict, ERROR_SENTENCES[told.verdict])
  const answer = readAnswer(told.answer)
  const faults = checkOptions(answer)
  if (faults.length > 0 || !isFields(answer)) {
    journal.note(told.delivery, 'invalid_options', faults)
    return fail('invalid_options', faults.join('\n'))
  }
  const options = objectsIn(withEmoji(answer.options ?? []))
  const groups = objectsIn(withEmoji(answer.option_groups ?? []))
  for (const option of [...options, ...groups.flatMap((group) => objectsIn(group.options))])
    offeredOptions.set(
      `${post.actionId}\n${typeof option.value === 'string' ? option.value : textIn(option.text)}`,
      option,
    )
  return { ok: true, options, groups }
}
