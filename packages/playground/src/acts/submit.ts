import { readAnswer, type Told } from '../delivery/line.ts'
import { createId } from '../ids.ts'
import { isFields } from '../json.ts'
import type { Fields, Outcome, Person, Post, View } from '../protocol.ts'
import { actor, filledView, Refused, SENTENCES, type Slack } from '../slack.ts'
import { checkView } from '../strict/view.ts'
import { tellInteraction, triggerFields } from './interaction.ts'
import { clientErrors } from './required.ts'

function openView({ views }: Slack, person: Person, viewId: string): View {
  const found = views.find(viewId)
  if (found?.user !== person.id || found.view.type !== 'modal')
    throw new Refused('view_not_found', `${person.name} has no open modal ${viewId}.`)
  return found.view
}

/** A person submits a modal: `view_submission`, and what the answer does to the stack of views. */
export async function submit(slack: Slack, post: Post<'submit'>): Promise<Outcome> {
  const { views, log } = slack
  const person = actor(slack, post.user)
  const view = openView(slack, person, post.viewId)
  if (!view.submit) throw new Refused('not_submittable', 'This modal has no submit button.')
  const seq = log.seq
  const filled = filledView(slack, person, view, post.values ?? {})
  const missing = clientErrors(view.blocks, filled)
  if (Object.keys(missing).length > 0) {
    views.setErrors(person.id, view.id, missing, null)
    const message = Object.values(missing).join(' ')
    return { ok: false, deliveryId: null, seq, error: 'incomplete', message }
  }
  const id = createId('Q')
  const payload = {
    type: 'view_submission',
    ...triggerFields(
      slack,
      {
        user: person.id,
        viewId: view.id,
        conversation: views.conversation(person.id, view.id),
        cause: id,
      },
      views.run(view.id),
    ),
    view: filled,
    response_urls: responseUrls(slack, person, view, filled, id),
  }
  const told = await tellInteraction(slack, person, payload, id)
  const fault =
    told.verdict === 'ok' ? followAnswer(slack, person, view, told) : { error: told.verdict, notes: [] }
  if (!fault) return { ok: true, deliveryId: id, seq }
  if (told.verdict === 'ok') slack.journal.note(told.delivery, fault.error, fault.notes)
  views.setBanner(person.id, view.id, SENTENCES.trouble)
  const message = [SENTENCES.trouble, ...fault.notes].join('\n')
  return { ok: false, deliveryId: id, seq, error: fault.error, message }
}

/** A `response_url` for each conversation select that requests one with `response_url_enabled`. */
function responseUrls(slack: Slack, person: Person, view: View, filled: Fields, cause: string): Fields[] {
  const { tickets, url } = slack
  const values = isFields(filled.state) && isFields(filled.state.values) ? filled.state.values : {}
  return view.blocks.flatMap(({ block_id, element }) => {
    if (!isFields(element) || element.response_url_enabled !== true) return []
    const block = values[block_id]
    const state = isFields(block) ? block[String(element.action_id)] : undefined
    const channel = isFields(state) ? (state.selected_conversation ?? state.selected_channel) : undefined
    if (typeof channel !== 'string') return []
    const target = { user: person.id, channel, original: null, threadTs: null, cause }
    const path = tickets.issueResponsePath('app', view.team_id, target)
    return [{ block_id, action_id: element.action_id ?? '', channel_id: channel, response_url: url() + path }]
  })
}

type Fault = { error: string; notes: string[] }

function followAnswer(slack: Slack, person: Person, view: View, told: Told): Fault | undefined {
  const { views } = slack
  if (told.answer.text.trim() === '') {
    views.close(person.id, view.id)
    return undefined
  }
  const answer = readAnswer(told.answer)
  if (!isFields(answer))
    return {
      error: 'invalid_response',
      notes: ['The answer to a submission is empty, or JSON with a response_action.'],
    }
  switch (answer.response_action) {
    case undefined:
      if (Object.keys(answer).length > 0)
        return { error: 'invalid_response', notes: ['The answer has no response_action.'] }
      views.close(person.id, view.id)
      return undefined
    case 'clear': {
      const root = views.stack(person.id)[0]
      if (root) views.close(person.id, root.view.id)
      return undefined
    }
    case 'errors':
      return showErrors(slack, person, view, answer, told.delivery.id)
    case 'update':
    case 'push':
      return replaceOrPush(slack, person, view, answer, told.delivery.id)
    default:
      return {
        error: 'invalid_response',
        notes: [
          `response_action is errors, update, push or clear, not ${JSON.stringify(answer.response_action)}.`,
        ],
      }
  }
}

function showErrors(
  { views }: Slack,
  person: Person,
  view: View,
  { errors }: Fields,
  cause: string,
): Fault | undefined {
  const given = isFields(errors) ? errors : {}
  const inputs = view.blocks.filter(({ type }) => type === 'input').map(({ block_id }) => block_id)
  const notes = Object.entries(given).flatMap(([blockId, text]) => {
    if (!inputs.includes(blockId)) return [`errors: the modal has no input block "${blockId}".`]
    return typeof text === 'string' && text !== '' ? [] : [`errors: "${blockId}" needs a sentence.`]
  })
  if (Object.keys(given).length === 0) notes.push('errors: an object from block_id to sentence, not empty.')
  if (notes.length > 0) return { error: 'invalid_response', notes }
  const sentences = Object.fromEntries(
    Object.entries(given).map(([blockId, text]) => [blockId, String(text)]),
  )
  views.setErrors(person.id, view.id, sentences, cause)
  return undefined
}

function replaceOrPush(
  { views, levels }: Slack,
  person: Person,
  view: View,
  answer: Fields,
  cause: string,
): Fault | undefined {
  const checked = checkView(answer.view, ['modal'], levels)
  if ('error' in checked) return checked
  // Nothing more is shown to someone who has closed the window in the meantime.
  if (views.stack(person.id).every((open) => open.view.id !== view.id)) return undefined
  if (answer.response_action === 'update') {
    views.update({ view, user: person.id }, checked.view, checked.blocks, cause)
    return undefined
  }
  if (views.isFull(person.id))
    return { error: 'push_limit_reached', notes: ['At most 3 views on the stack.'] }
  const conversation = views.conversation(person.id, view.id)
  const run = views.run(view.id)
  views.push(checked.view, checked.blocks, { user: person.id, cause, conversation, run })
  return undefined
}

/** A person closes one modal or all of them: `view_closed` for those that request it. Slack ignores the answer. */
export async function closeView(slack: Slack, post: Post<'close'>): Promise<Outcome> {
  const { views, log } = slack
  const person = actor(slack, post.user)
  const view = openView(slack, person, post.viewId)
  const seq = log.seq
  const root = views.stack(person.id)[0]?.view.id ?? view.id
  const clears = post.all === true || view.clear_on_close
  const conversations = new Map(views.stack(person.id).map((open) => [open.view.id, open.conversation]))
  const closed = views.close(person.id, clears ? root : view.id)
  let deliveryId: string | null = null
  for (const gone of closed.filter(({ notify_on_close }) => notify_on_close)) {
    const conversation = conversations.get(gone.id) ?? null
    const cause = createId('Q')
    const run = views.run(gone.id)
    const payload = {
      type: 'view_closed',
      ...(run && triggerFields(slack, { user: person.id, viewId: null, conversation, cause }, run)),
      view: filledView(slack, person, gone, {}, conversation),
      is_cleared: clears,
    }
    const told = await tellInteraction(slack, person, payload, cause)
    deliveryId = told.delivery.id
  }
  return { ok: true, deliveryId, seq }
}
