import { findElement, optionsOf } from '../elements.ts'
import { createId } from '../ids.ts'
import { fieldsOf, isFields, textOf } from '../json.ts'
import { payloadForm, readAnswer } from '../line.ts'
import { type Stored, slackMessage } from '../messages.ts'
import type {
  ActionPost,
  Block,
  Fields,
  InputValues,
  OptionsAnswer,
  OptionsPost,
  Outcome,
  Person,
  Place,
  View,
} from '../protocol.ts'
import { actor, filledView, lookups, payloadBase, Refused, SENTENCES, type Slack } from '../slack.ts'
import { checkOptions } from '../strict/options.ts'
import { readElement, stateValues } from '../values.ts'
import { channelName } from './command.ts'

type Parts = Pick<
  Slack,
  'people' | 'messages' | 'views' | 'files' | 'offers' | 'line' | 'tickets' | 'journal' | 'log' | 'url'
>

const TROUBLE = 'We had some trouble connecting. Try again?'

type Spot =
  | { kind: 'message'; message: Stored; blocks: Block[] }
  | { kind: 'view'; view: View; blocks: Block[] }

function spotOf({ messages, views }: Parts, person: Person, place: Place): Spot {
  if (place.kind === 'view') {
    const found = views.find(place.viewId)
    if (found?.user !== person.id)
      throw new Refused('view_not_found', `${person.name} has no view ${place.viewId}.`)
    return { kind: 'view', view: found.view, blocks: found.view.blocks }
  }
  const message = messages.find(place.channel, place.ts)
  if (!message || (message.readerId && message.readerId !== person.id))
    throw new Refused('message_not_found', `${person.name} sees no message ${place.ts} in ${place.channel}.`)
  return { kind: 'message', message, blocks: message.blocks }
}

function elementOf(spot: Spot, blockId: string, actionId: string): Fields {
  const element = findElement(spot.blocks, blockId, actionId)
  if (!element) throw new Refused('element_not_found', `There is no element ${actionId} in block ${blockId}.`)
  return element
}

/** The entry of `actions`: the element's own fields that Slack repeats, and what was chosen. */
function actionEntry(slack: Parts, element: Fields, post: ActionPost, channel: string | null): Fields {
  const { type, text, placeholder, confirm, url, style, icon } = element
  const repeated = Object.fromEntries(
    Object.entries({ text, placeholder, confirm, url, style, icon }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  // The filter above removed what was undefined.
  const base = { ...(repeated as Fields), type: type ?? '', block_id: post.blockId, action_id: post.actionId }
  return { ...base, ...chosen(slack, element, post, channel), action_ts: slack.messages.nextTs() }
}

function chosen(slack: Parts, element: Fields, post: ActionPost, channel: string | null): Fields {
  const picked = typeof post.value === 'string' ? post.value : undefined
  if (element.type === 'overflow') {
    const option = optionsOf(element).find(({ value }) => value === picked)
    if (!option)
      throw new Refused('option_not_found', `"${picked}" is not among the options of ${post.actionId}.`)
    return { selected_option: option }
  }
  if (element.type === 'feedback_buttons') {
    const pressed = [element.positive_button, element.negative_button]
      .filter(isFields)
      .find(({ value }) => value === picked)
    if (!pressed)
      throw new Refused('option_not_found', `${post.actionId} has no button with the value "${picked}".`)
    return { value: pressed.value ?? '', text: pressed.text ?? null }
  }
  const touched = post.value === undefined ? post.values?.[post.blockId]?.[post.actionId] : post.value
  const state = readElement(element, touched, lookups(slack, channel))
  return state ?? (typeof element.value === 'string' ? { value: element.value } : {})
}

function withChosen(post: ActionPost): InputValues {
  const touched = post.values ?? {}
  if (post.value === undefined) return touched
  return { ...touched, [post.blockId]: { ...touched[post.blockId], [post.actionId]: post.value } }
}

function messagePayload(
  slack: Parts,
  { message, blocks }: Spot & { kind: 'message' },
  post: ActionPost,
  id: string,
): Fields {
  const { people, tickets, url } = slack
  const channel = people.channel(message.channel)
  const response = tickets.issueResponsePath('actions', people.workspace.id, {
    user: post.user,
    channel: message.channel,
    original: message.ts,
    threadTs: message.threadTs === message.ts ? null : message.threadTs,
    cause: id,
  })
  return {
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: message.ephemeral,
      ...(message.threadTs && { thread_ts: message.threadTs }),
    },
    channel: { id: message.channel, name: channel ? channelName(channel) : '' },
    ...(!message.ephemeral && { message: slackMessage(message, people.workspace.id) }),
    state: { values: stateValues(blocks, withChosen(post), lookups(slack, message.channel)) },
    response_url: url() + response,
  }
}

/** A person presses, chooses or types into one element: `block_actions`. */
export async function act(slack: Parts, post: ActionPost): Promise<Outcome> {
  const { line, tickets, log, messages, views } = slack
  const person = actor(slack, post.user)
  const spot = spotOf(slack, person, post.place)
  const element = elementOf(spot, post.blockId, post.actionId)
  const id = createId('Q')
  const seq = log.seq
  const viewId = spot.kind === 'view' ? spot.view.id : null
  const place =
    spot.kind === 'message'
      ? messagePayload(slack, spot, post, id)
      : {
          container: { type: 'view', view_id: spot.view.id },
          view: filledView(slack, spot.view, withChosen(post)),
        }
  const payload: Fields = {
    type: 'block_actions',
    ...payloadBase(slack, person),
    ...place,
    trigger_id: tickets.issueTrigger({ user: person.id, viewId, cause: id }),
    actions: [actionEntry(slack, element, post, spot.kind === 'message' ? spot.message.channel : null)],
  }
  const told = await line.tell(
    {
      kind: 'block_actions',
      user: person.id,
      contentType: 'application/x-www-form-urlencoded',
      body: payloadForm(payload),
      readable: payload,
    },
    id,
  )
  const trouble = told.verdict === 'ok' ? null : SENTENCES[told.verdict]
  if (spot.kind === 'message' && spot.message.warning !== trouble)
    messages.change(spot.message, { warning: trouble, cause: id })
  if (spot.kind === 'view' && trouble) views.setBanner(person.id, spot.view.id, TROUBLE)
  if (told.verdict !== 'ok')
    return { ok: false, deliveryId: id, seq, error: told.verdict, message: trouble ?? '' }
  return { ok: true, deliveryId: id, seq }
}

/** A person types into an external select: `block_suggestion`, answered with options or groups of them. */
export async function suggest(slack: Parts, post: OptionsPost): Promise<OptionsAnswer> {
  const { line, journal, offers, log } = slack
  const person = actor(slack, post.user)
  const spot = spotOf(slack, person, post.place)
  elementOf(spot, post.blockId, post.actionId)
  const seq = log.seq
  const payload: Fields = {
    type: 'block_suggestion',
    ...payloadBase(slack, person),
    ...(spot.kind === 'view'
      ? { container: { type: 'view', view_id: spot.view.id }, view: filledView(slack, spot.view, {}) }
      : {
          container: { type: 'message', message_ts: spot.message.ts, channel_id: spot.message.channel },
          channel: { id: spot.message.channel },
        }),
    action_id: post.actionId,
    block_id: post.blockId,
    value: post.query,
  }
  const told = await line.tell({
    kind: 'block_suggestion',
    user: person.id,
    contentType: 'application/x-www-form-urlencoded',
    body: payloadForm(payload),
    readable: payload,
  })
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
  const options = fieldsOf(answer.options)
  const groups = fieldsOf(answer.option_groups)
  for (const option of [...options, ...groups.flatMap((group) => fieldsOf(group.options))])
    offers.set(
      `${post.actionId}\n${typeof option.value === 'string' ? option.value : textOf(option.text)}`,
      option,
    )
  return { ok: true, options, groups }
}
