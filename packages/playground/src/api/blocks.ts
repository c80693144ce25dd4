import { isFields, opened } from '../json.ts'
import type { Json } from '../protocol.ts'
import { checkBlocks } from '../strict/blocks.ts'
import { createCheck, type Fault, SLACK_ONLY, worded } from '../strict/check.ts'
import { checkMessage } from '../strict/message.ts'
import { checkView } from '../strict/view.ts'
import { ApiRefusal, type Args, type Method, wrong } from './reply.ts'

const SURFACES = ['message', 'modal', 'home'] as const

/** Blocks on their own may be for any surface: returns the problems for the one that suits them best. */
function blockFaults(given: Json): Fault[] {
  const tries = SURFACES.map((surface) => {
    const check = createCheck(surface, SLACK_ONLY)
    checkBlocks(given, '', check)
    return check.faults
  })
  const foreign = (faults: Fault[]) =>
    faults.filter(({ message }) => message.startsWith('unsupported type')).length
  return tries.reduce((best, faults) => {
    const nearer = foreign(faults) - foreign(best)
    return nearer < 0 || (nearer === 0 && faults.length < best.length) ? faults : best
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
    throw wrong('Give exactly one of `blocks`, `message` and `view`.')
  const { error, find } = FORMS[form]
  const faults = find(opened(args[form]) ?? null)
  if (faults.length === 0) return {}
  const errors = faults.map(({ pointer, message, constraint }) => ({
    pointer,
    code: 'failed_constraint',
    message,
    ...(constraint && { constraint }),
  }))
  throw new ApiRefusal(error, faults.map(worded), undefined, { errors })
}

export const blockMethods: Record<string, Method> = { 'blocks.validate': validate }
