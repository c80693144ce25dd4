import type { AppLink } from '../delivery/app-link.ts'
import { parseResponseBody } from '../delivery/app-link.ts'
import { ERROR_MESSAGES } from '../delivery/errors.ts'
import { sendInteraction } from '../delivery/interaction.ts'
import { filledView } from '../payloads/view.ts'
import type { OptionsAnswer } from '../protocol/answers.ts'
import { isFields, objectsIn, textIn } from '../protocol/json.ts'
import type { PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor } from '../state/actors.ts'
import type { World } from '../state/world.ts'
import { checkOptions } from '../validation/options.ts'
import { withEmoji } from '../validation/stored.ts'
import { findSurface, findSurfaceElement } from './surface.ts'

/** A person types into an external select: sends `block_suggestion`, and returns the options from the app. */
export async function loadOptions(
  world: World,
  link: AppLink,
  post: PostBody<'options'>,
): Promise<OptionsAnswer> {
  const { journal, offeredOptions, log } = world
  const person = findActor(world, post.user)
  const surface = findSurface(world, person, post.surface)
  findSurfaceElement(surface, post.blockId, post.actionId)
  if (surface.kind !== 'view')
    throw new ActionError('no_options', 'Only an input of a view asks for options.')
  const { view } = surface
  const seq = log.seq
  const payload = {
    type: 'block_suggestion',
    container: { type: 'view', view_id: view.id },
    view: filledView(world, person, view, {}),
    action_id: post.actionId,
    block_id: post.blockId,
    value: post.query,
  }
  const response = await sendInteraction(world, link, person, payload)
  const fail = (error: string, message: string): OptionsAnswer => ({
    ok: false,
    deliveryId: response.delivery.id,
    seq,
    error,
    message,
  })
  if (response.verdict !== 'ok') return fail(response.verdict, ERROR_MESSAGES[response.verdict])
  const body = parseResponseBody(response.http)
  const errors = checkOptions(body)
  if (errors.length > 0 || !isFields(body)) {
    journal.changeVerdict(response.delivery, 'invalid_options', errors)
    return fail('invalid_options', errors.join('\n'))
  }
  const options = objectsIn(withEmoji(body.options ?? []))
  for (const option of options)
    offeredOptions.set(
      `${post.actionId}\n${typeof option.value === 'string' ? option.value : textIn(option.text)}`,
      option,
    )
  return { ok: true, options }
}
