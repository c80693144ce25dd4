import type { AppLink } from '../delivery/app-link.ts'
import { type AppResponse, parseResponseBody } from '../delivery/app-link.ts'
import { ERROR_MESSAGES } from '../delivery/errors.ts'
import { sendInteraction, triggerFields } from '../delivery/interaction.ts'
import { filledView } from '../payloads/view.ts'
import { createId } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import type { Outcome, Person, PostBody, View } from '../protocol/protocol.ts'
import { ActionError, findActor } from '../state/actors.ts'
import type { World } from '../state/world.ts'
import type { Rejection } from '../validation/message.ts'
import { checkView } from '../validation/view.ts'
import { findClientErrors } from './client-errors.ts'

function findOpenModal({ views }: World, person: Person, viewId: string): View {
  const openView = views.find(viewId)
  if (openView?.user !== person.id || openView.view.type !== 'modal')
    throw new ActionError('view_not_found', `${person.name} has no open modal ${viewId}.`)
  return openView.view
}

/** A person submits a modal: sends `view_submission`, and applies the app's `response_action` to the person's stack of modals. */
export async function submitModal(world: World, link: AppLink, post: PostBody<'submit'>): Promise<Outcome> {
  const { views, log } = world
  const person = findActor(world, post.user)
  const view = findOpenModal(world, person, post.viewId)
  if (!view.submit) throw new ActionError('not_submittable', 'This modal has no submit button.')
  const seq = log.seq
  const filled = filledView(world, person, view, post.values ?? {})
  const errors = findClientErrors(view.blocks, filled)
  if (Object.keys(errors).length > 0) {
    views.setErrors(person.id, view.id, errors, null)
    const message = Object.values(errors).join(' ')
    return { ok: false, deliveryId: null, seq, error: 'incomplete', message }
  }
  const id = createId('Q')
  const payload = {
    type: 'view_submission',
    ...triggerFields(world, { user: person.id, viewId: view.id, cause: id }),
    view: filled,
    response_urls: [],
  }
  const response = await sendInteraction(world, link, person, payload, id)
  const rejection =
    response.verdict === 'ok'
      ? applySubmissionResponse(world, person, view, response)
      : { error: response.verdict, notes: [] }
  if (!rejection) return { ok: true, deliveryId: id, seq }
  if (response.verdict === 'ok')
    world.journal.changeVerdict(response.delivery, rejection.error, rejection.notes)
  views.setBanner(person.id, view.id, ERROR_MESSAGES.connection_trouble)
  const message = [ERROR_MESSAGES.connection_trouble, ...rejection.notes].join('\n')
  return { ok: false, deliveryId: id, seq, error: rejection.error, message }
}

function applySubmissionResponse(
  world: World,
  person: Person,
  view: View,
  response: AppResponse,
): Rejection | undefined {
  const { views } = world
  if (response.http.text.trim() === '') {
    views.close(person.id, view.id)
    return undefined
  }
  const body = parseResponseBody(response.http)
  if (!isFields(body))
    return {
      error: 'invalid_response',
      notes: ['Respond to a submission with an empty body, or with JSON that has a response_action.'],
    }
  switch (body.response_action) {
    case undefined:
      if (Object.keys(body).length > 0)
        return { error: 'invalid_response', notes: ['The response has no response_action.'] }
      views.close(person.id, view.id)
      return undefined
    case 'errors':
      return showErrors(world, person, view, body, response.delivery.id)
    case 'update':
      return updateView(world, person, view, body, response.delivery.id)
    default:
      return {
        error: 'invalid_response',
        notes: [
          `The playground knows the response_actions errors and update, not ${JSON.stringify(body.response_action)}.`,
        ],
      }
  }
}

function showErrors(
  { views }: World,
  person: Person,
  view: View,
  { errors }: Fields,
  cause: string,
): Rejection | undefined {
  const entries = isFields(errors) ? errors : {}
  const inputs = view.blocks.filter(({ type }) => type === 'input').map(({ block_id }) => block_id)
  const notes = Object.entries(entries).flatMap(([blockId, text]) => {
    if (!inputs.includes(blockId)) return [`errors: the modal has no input block "${blockId}".`]
    return typeof text === 'string' && text !== '' ? [] : [`errors: "${blockId}" needs an error message.`]
  })
  if (Object.keys(entries).length === 0)
    notes.push('errors: must be an object that maps block_ids to error messages, with at least one entry.')
  if (notes.length > 0) return { error: 'invalid_response', notes }
  const messages = Object.fromEntries(
    Object.entries(entries).map(([blockId, text]) => [blockId, String(text)]),
  )
  views.setErrors(person.id, view.id, messages, cause)
  return undefined
}

function updateView(
  { views }: World,
  person: Person,
  view: View,
  body: Fields,
  cause: string,
): Rejection | undefined {
  const checked = checkView(body.view, ['modal'])
  if ('error' in checked) return checked
  // The person may have closed the modal while the app handled the submission.
  if (views.stack(person.id).every((open) => open.view.id !== view.id)) return undefined
  views.update({ view, user: person.id }, checked.view, checked.blocks, cause)
  return undefined
}

/** A person closes a modal or the whole stack. No view asks Slack for `view_closed`, so the app hears nothing. */
export function closeModal({ views, log, ...world }: World, post: PostBody<'close'>): Outcome {
  const { seq } = log
  const person = findActor(world, post.user)
  const view = findOpenModal({ views, log, ...world }, person, post.viewId)
  const rootId = views.stack(person.id)[0]?.view.id ?? view.id
  views.close(person.id, post.all === true ? rootId : view.id)
  return { ok: true, deliveryId: null, seq }
}
