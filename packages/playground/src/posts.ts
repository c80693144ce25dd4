import { fieldsOf, isFields, stringOf } from './json.ts'
import type {
  AccessPost,
  ActionPost,
  ChannelPost,
  ClockPost,
  ClosePost,
  CommandPost,
  DeletePost,
  DismissPost,
  EditPost,
  EntityActionPost,
  Fault,
  Fields,
  HomePost,
  InputValue,
  InputValues,
  Json,
  MemberPost,
  MessagePost,
  NewChannelPost,
  OptionsPost,
  PersonPost,
  PinPost,
  Place,
  ReactPost,
  RedeliverPost,
  ShortcutPost,
  SocketTrouble,
  StepPost,
  SubmitPost,
  UninstallPost,
} from './protocol.ts'
import { Refused } from './slack.ts'

/** Reads what the page posts, field by field; a missing or mistyped one is refused by name. */
function text(body: Fields, name: string): string {
  const value = body[name]
  if (typeof value !== 'string') throw new Refused('bad_post', `"${name}" must be a string.`)
  return value
}

function value(given: Json | undefined, name: string): InputValue {
  if (given === null || typeof given === 'string') return given
  if (Array.isArray(given) && given.every((each) => typeof each === 'string')) return given
  throw new Refused('bad_post', `"${name}" must be a string, a list of strings, or null.`)
}

function values(given: Json | undefined): InputValues {
  if (given === undefined) return {}
  if (!isFields(given))
    throw new Refused('bad_post', '"values" must be an object: block_id → action_id → value.')
  return Object.fromEntries(
    Object.entries(given).map(([blockId, inner]) => {
      if (!isFields(inner))
        throw new Refused('bad_post', `"values.${blockId}" must be an object: action_id → value.`)
      const read = Object.entries(inner).map(([actionId, each]) => [
        actionId,
        value(each, `values.${blockId}.${actionId}`),
      ])
      return [blockId, Object.fromEntries(read)]
    }),
  )
}

function place(given: Json | undefined): Place {
  if (isFields(given) && given.kind === 'view') return { kind: 'view', viewId: text(given, 'viewId') }
  if (isFields(given) && given.kind === 'message')
    return { kind: 'message', channel: text(given, 'channel'), ts: text(given, 'ts') }
  throw new Refused('bad_post', '"place" must be {kind: "message", channel, ts} or {kind: "view", viewId}.')
}

const element = (body: Fields) => ({
  user: text(body, 'user'),
  place: place(body.place),
  blockId: text(body, 'blockId'),
  actionId: text(body, 'actionId'),
})

export const readCommand = (body: Fields): CommandPost => ({
  user: text(body, 'user'),
  channel: text(body, 'channel'),
  command: text(body, 'command'),
  text: text(body, 'text'),
})

export function readMessage(body: Fields): MessagePost {
  const threadTs = stringOf(body.threadTs)
  const files = body.files === undefined ? [] : value(body.files, 'files')
  return {
    user: text(body, 'user'),
    channel: text(body, 'channel'),
    text: text(body, 'text'),
    ...(threadTs !== undefined && { threadTs }),
    files: Array.isArray(files) ? files : [],
  }
}

export const readEdit = (body: Fields): EditPost => ({ ...readDelete(body), text: text(body, 'text') })

export const readDelete = (body: Fields): DeletePost => ({
  user: text(body, 'user'),
  channel: text(body, 'channel'),
  ts: text(body, 'ts'),
})

export const readPin = (body: Fields): PinPost => ({ ...readDelete(body), remove: body.remove === true })
export const readReact = (body: Fields): ReactPost => ({ ...readPin(body), name: text(body, 'name') })

export const readMember = (body: Fields): MemberPost => ({
  user: text(body, 'user'),
  channel: text(body, 'channel'),
  leave: body.leave === true,
})

export function readChannel(body: Fields): ChannelPost {
  const given = ['name', 'topic', 'purpose'].flatMap((field) =>
    body[field] === undefined ? [] : [[field, text(body, field)]],
  )
  return {
    user: text(body, 'user'),
    channel: text(body, 'channel'),
    ...Object.fromEntries(given),
    ...(typeof body.archived === 'boolean' && { archived: body.archived }),
  }
}

export function readNewChannel(body: Fields): NewChannelPost {
  const privacy = (['private', 'group'] as const).find((one) => one === body.privacy)
  const members = body.members === undefined ? [] : value(body.members, 'members')
  return {
    user: text(body, 'user'),
    name: text(body, 'name'),
    ...(privacy && { privacy }),
    members: Array.isArray(members) ? members : [],
  }
}

export const readStep = (body: Fields): StepPost => ({
  user: text(body, 'user'),
  callbackId: text(body, 'callbackId'),
  inputs: isFields(body.inputs) ? body.inputs : {},
})

/** Without an action where it is only opened. */
export const readEntity = (body: Fields): EntityActionPost => ({
  ...readDelete(body),
  ...(body.ref !== undefined && { ref: text(body, 'ref') }),
  action: stringOf(body.action) ?? '',
  inPane: body.inPane === true,
})

const ROLES = ['member', 'admin', 'guest', 'single-channel-guest'] as const

export function readPerson(body: Fields): PersonPost {
  const role = ROLES.find((one) => one === body.role)
  if (body.role !== undefined && !role)
    throw new Refused('bad_post', `"role" must be one of: ${ROLES.join(', ')}.`)
  return {
    user: text(body, 'user'),
    ...(body.realName !== undefined && { realName: text(body, 'realName') }),
    ...(body.name !== undefined && { name: text(body, 'name') }),
    ...(role && { role }),
    ...(typeof body.deleted === 'boolean' && { deleted: body.deleted }),
  }
}

export const readAction = (body: Fields): ActionPost => ({
  ...element(body),
  ...(body.value !== undefined && { value: value(body.value, 'value') }),
  values: values(body.values),
})

export const readOptions = (body: Fields): OptionsPost => ({ ...element(body), query: text(body, 'query') })

export const readSubmit = (body: Fields): SubmitPost => ({
  user: text(body, 'user'),
  viewId: text(body, 'viewId'),
  values: values(body.values),
})

export const readClose = (body: Fields): ClosePost => ({
  user: text(body, 'user'),
  viewId: text(body, 'viewId'),
  all: body.all === true,
})

export const readShortcut = (body: Fields): ShortcutPost => ({
  user: text(body, 'user'),
  callbackId: text(body, 'callbackId'),
  ...(isFields(body.message) && {
    message: { channel: text(body.message, 'channel'), ts: text(body.message, 'ts') },
  }),
})

export const readHome = (body: Fields): HomePost => ({
  user: text(body, 'user'),
  tab: body.tab === 'messages' ? 'messages' : 'home',
})

export const readDismiss = (body: Fields): DismissPost => ({
  user: text(body, 'user'),
  channel: text(body, 'channel'),
  ts: text(body, 'ts'),
})

export function readRedeliver(body: Fields): Required<RedeliverPost> {
  const times = body.times ?? 1
  if (typeof times !== 'number' || !Number.isInteger(times) || times < 1 || times > 200)
    throw new Refused('bad_post', '"times" must be a whole number from 1 to 200.')
  return { deliveryId: text(body, 'deliveryId'), times }
}

const UNINSTALL_EVENTS = ['app_uninstalled', 'tokens_revoked'] as const

export function readUninstall(body: Fields): UninstallPost {
  const id = text(body, 'id')
  const late = body.late === true
  if (body.events === undefined) return { id, late }
  const events = Array.isArray(body.events) ? body.events : [null]
  return {
    id,
    late,
    events: events.map((name) => {
      const known = UNINSTALL_EVENTS.find((one) => one === name)
      if (!known) throw new Refused('bad_post', `"events" is a list of ${UNINSTALL_EVENTS.join(' and ')}.`)
      return known
    }),
  }
}

export const readAccess = (body: Fields): AccessPost => ({
  id: text(body, 'id'),
  granted: body.granted === true,
})

export function readClock(body: Fields): ClockPost {
  const at = stringOf(body.at)
  const { advanceMs } = body
  if (at !== undefined && Number.isNaN(Date.parse(at)))
    throw new Refused('bad_post', '"at" must be a time such as 2026-11-20T08:00:00Z.')
  if (advanceMs !== undefined && (typeof advanceMs !== 'number' || advanceMs < 0))
    throw new Refused('bad_post', '"advanceMs" must be a number of milliseconds, not below 0.')
  return { ...(at !== undefined && { at }), ...(typeof advanceMs === 'number' && { advanceMs }) }
}

const TROUBLES = ['warning', 'refresh_requested', 'link_disabled', 'too_many_websockets', 'drop'] as const

export function readTrouble(body: Fields): SocketTrouble {
  const kind = TROUBLES.find((one) => one === body.kind)
  if (!kind) throw new Refused('bad_post', `"kind" must be one of: ${TROUBLES.join(', ')}.`)
  const { afterMs } = body
  return { kind, all: body.all === true, ...(typeof afterMs === 'number' && { afterMs }) }
}

const FAULT_KINDS = ['delay', 'status', 'error', 'drop-reply', 'refuse-block'] as const

export function readFaults(body: Json): Fault[] {
  if (!Array.isArray(body)) throw new Refused('bad_post', 'Faults are a list: [{method, kind, …}].')
  return fieldsOf(body).map((one) => {
    const kind = FAULT_KINDS.find((known) => known === one.kind)
    if (!kind) throw new Refused('bad_post', `"kind" must be one of: ${FAULT_KINDS.join(', ')}.`)
    const numbers = Object.fromEntries(
      ['ms', 'status', 'retryAfter', 'times'].flatMap((name) =>
        typeof one[name] === 'number' ? [[name, one[name]]] : [],
      ),
    )
    const error = stringOf(one.error)
    const said = {
      ...(error !== undefined && { error }),
      ...(kind === 'refuse-block' && { block: text(one, 'block') }),
    }
    return { method: text(one, 'method'), kind, ...numbers, ...said }
  })
}
