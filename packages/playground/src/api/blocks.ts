import type { Json } from '../protocol/json.ts'
import { isFields, parseEmbeddedJson } from '../protocol/json.ts'
import type { AppAccess } from '../rules/rule.ts'
import { createAppAccess } from '../state/app-access.ts'
import { checkBlocks } from '../validation/blocks.ts'
import { type ContentError, createCheck, formatError, SLACK_ONLY } from '../validation/check.ts'
import { checkMessage } from '../validation/message.ts'
import { checkView } from '../validation/view.ts'
import { values } from './arguments.ts'
import { ApiError, invalidArguments, type Method, type RunMethod } from './method.ts'

const SURFACES = ['message', 'modal', 'home'] as const

/** Validates blocks for each surface, because callers don't name one. Returns the errors for the surface that fits best. */
function findBlockErrors(blocks: Json, access: AppAccess): ContentError[] {
  const errorsBySurface = SURFACES.map((surface) => {
    const check = createCheck(surface, SLACK_ONLY, access)
    checkBlocks(blocks, '', check)
    return check.errors
  })
  const countUnsupported = (errors: ContentError[]) =>
    errors.filter(({ message }) => message.startsWith('unsupported type')).length
  return errorsBySurface.reduce((best, errors) => {
    const difference = countUnsupported(errors) - countUnsupported(best)
    return difference < 0 || (difference === 0 && errors.length < best.length) ? errors : best
  })
}

function findMessageErrors(message: Json, access: AppAccess): ContentError[] {
  if (!isFields(message)) return [{ pointer: '', message: 'must provide an object' }]
  // Adds a text, because checkMessage rejects messages without content, which blocks.validate accepts.
  const checked = checkMessage({ text: 'x', ...message }, { levels: SLACK_ONLY, access })
  if (!('error' in checked)) return []
  return checked.errors ?? checked.notes.map((message) => ({ pointer: '', message }))
}

function findViewErrors(view: Json, access: AppAccess): ContentError[] {
  const checked = checkView(view, ['modal', 'home'], SLACK_ONLY, access)
  if (!('error' in checked)) return []
  const errors = checked.errors ?? checked.notes.map((message) => ({ pointer: '/view', message }))
  return errors.map((error) => ({ ...error, pointer: error.pointer.replace(/^\/view/, '') }))
}

const CHECKS = {
  blocks: { error: 'invalid_blocks', find: findBlockErrors },
  message: { error: 'invalid_message', find: findMessageErrors },
  view: { error: 'invalid_view', find: findViewErrors },
} as const

/**
 * Validates blocks, a message, or a view. Throws ApiError with a JSON pointer to each problem.
 * (https://docs.slack.dev/reference/methods/blocks.validate, November 2026)
 */
const validate: RunMethod = ({ world, args, caller }) => {
  const names = (['blocks', 'message', 'view'] as const).filter((name) => args[name] !== undefined)
  const [name] = names
  if (name === undefined || names.length > 1)
    throw invalidArguments('Pass exactly one of `blocks`, `message`, and `view`.')
  const { error, find } = CHECKS[name]
  const contentErrors = find(parseEmbeddedJson(args[name]) ?? null, createAppAccess(world, caller))
  if (contentErrors.length === 0) return {}
  const errors = contentErrors.map(({ pointer, message, constraint }) => ({
    pointer,
    code: 'failed_constraint',
    message,
    ...(constraint && { constraint }),
  }))
  throw new ApiError(error, contentErrors.map(formatError), undefined, { errors })
}

export const blockMethods: Record<string, Method> = {
  'blocks.validate': { args: values('blocks message view'), run: validate },
}
