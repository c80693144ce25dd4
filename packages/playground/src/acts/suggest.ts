import { readAnswer } from '../delivery/line.ts'
import { fieldsOf, isFields, textOf } from '../json.ts'
import type { OptionsAnswer, Post } from '../protocol.ts'
import { actor, filledView, SENTENCES, type Slack } from '../slack.ts'
import { checkOptions } from '../strict/options.ts'
import { withEmoji } from '../strict/stored.ts'
import { channelFields } from './command.ts'
import { tellInteraction } from './interaction.ts'
import { elementOf, spotOf } from './spot.ts'

/** A person types into an external select: `block_suggestion`, answered with options or groups of them. */
export async function suggest(slack: Slack, post: Post<'options'>): Promise<OptionsAnswer> {
  const { journal, offers, log } = slack
  const person = actor(slack, post.user)
  const spot = spotOf(slack, person, post.place)
  elementOf(spot, post.blockId, post.actionId)
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
  const told = await tellInteraction(slack, person, payload)
  const fail = (error: string, message: string): OptionsAnswer => ({
    ok: false,
    deliveryId: told.delivery.id,
    seq,
    error,
    message,
  })
  if (told.verdict !== 'ok') return fail(told.verdict, SENTENCES[told.verdict])
  const answer = readAnswer(told.answer)
  const faults = checkOptions(answer)
  if (faults.length > 0 || !isFields(answer)) {
    journal.note(told.delivery, 'invalid_options', faults)
    return fail('invalid_options', faults.join('\n'))
  }
  const options = fieldsOf(withEmoji(answer.options ?? []))
  const groups = fieldsOf(withEmoji(answer.option_groups ?? []))
  for (const option of [...options, ...groups.flatMap((group) => fieldsOf(group.options))])
    offers.set(
      `${post.actionId}\n${typeof option.value === 'string' ? option.value : textOf(option.text)}`,
      option,
    )
  return { ok: true, options, groups }
}
