import { isFields, parseEmbeddedJson } from '../json.ts'
import type { Json } from '../protocol.ts'
import { checkBlocks } from '../strict/blocks.ts'
import { createCheck, type Fault, formatFault, SLACK_ONLY } from '../strict/check.ts'
import { checkMessage } from '../strict/message.ts'
import { checkView } from '../strict/view.ts'
import { ApiRefusal, type Args, invalidArguments, type Method } from './reply.ts'

const SURFACES = ['message', 'modal', 'home'] as const

/** Bare blocks may be meant for any surface, so returns the problems for the surface that fits them best. */
function blockFaults(given: Json): Fault[] {
  const faultsBySurface = SURFACES.map((surface) => {
    const check = createCheck(surface, SLACK_ONLY)
    checkBlocks(given, '', check)
    return check.faults
  })
  const countUnsupported = (faults: Fault[]) =>
    faults.filter(({ message }) => message.startsWith('unsupported type')).length
  return faultsBySurface.reduce((best, faults) => {
    const difference = countUnsupported(faults) - countUnsupported(best)
    return difference < 0 || (difference === 0 && faults.length < best.length) ? faults : best
  })
}

function messageFaults(given: Json): Fault[] {
  if (!isFields(given)) return [{ pointer: '', message: 'must provide an object' }]
  const checked = checkMessage({ text: 'x', ...given }, { levels: SLACK_ONLY })
  if (!('error' in checked)) return []
  return checked.faults ?? checked.notes.map((message) => ({ pointer: '', message }))
}

function viewFaults(given: Json): Fault[] {
  const checked = checkView(given, ['modal', 'home'], SLACK_ONLY)
  if (!('error' in checked)) return []
  const faults = checked.faults ?? checked.notes.map((message) => ({ pointer: '/view', message }))
  return faults.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\/view/, '') }))
}

const FORMS = {
  blocks: { error: 'invalid_blocks', find: blockFaults },
  message: { error: 'invalid_message', find: messageFaults },
  view: { error: 'invalid_view', find: viewFaults },
} as const

/**
 * Slack's verdict on blocks, a message, or a view, one per call, with pointers into the argument.
 * (https://docs.slack.dev/reference/methods/blocks.validate, November 2026)
 */
const validate: Method = (_slack, args: Args) => {
  const given = (['blocks', 'message', 'view'] as const).filter((name) => args[name] !== undefined)
  const [form] = given
  if (form === undefined || given.length > 1)
    throw invalidArguments('Pass exactly one of `blocks`, `message`, and `view`.')
  const { error, find } = FORMS[form]
  const faults = find(parseEmbeddedJson(args[form]) ?? null)
  if (faults.length === 0) return {}
  const errors = faults.map(({ pointer, message, constraint }) => ({
    pointer,
    code: 'failed_constraint',
    message,
    ...(constraint && { constraint }),
  }))
  throw new ApiRefusal(error, faults.map(formatFault), undefined, { errors })
}

export const blockMethods: Record<string, Method> = { 'blocks.validate': validate }
