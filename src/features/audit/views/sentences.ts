import type { AuditEntry } from '@signalman/durable'
import { isRecord } from '@signalman/runtime'
import { clip, group, type Line, oneLine, person } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import { ENVIRONMENT_NAMES, ENVIRONMENTS } from '../../../domain/environment.ts'

/**
 * The past tense of each verb, by the last word of the command. An ellipsis marks the place of the object, if it isn't the end.
 * Other verbs are shown as “used /hc …”.
 */
export const PAST_TENSES: Readonly<Record<string, string>> = {
  create: 'created',
  edit: 'changed',
  delete: 'deleted',
  export: 'exported',
  watch: 'watched',
  unwatch: 'stopped watching',
  watches: 'made an … of the watches',
  mute: 'muted',
  unmute: 'unmuted',
  'watch-ack': 'acknowledged',
  'watch-resume': 'resumed the watches of',
  'watch-step-down': 'stepped down from',
  page: 'paged someone about',
  clone: 'created … as a copy',
  recipients: 'changed the alert recipients of',
  import: 'imported',
  undo: 'undid a change of',
  'bulk-file': 'exported the preview of the change',
  'job-start': 'started',
  'job-stop': 'stopped',
  'same-account': 'confirmed … as the same account',
  'alert-add': 'added an alert to',
  'alert-edit': 'changed an alert of',
  'alert-remove': 'removed an alert of',
  maintenance: 'planned maintenance of',
  'maintenance-edit': 'changed maintenance of',
  'maintenance-end': 'ended maintenance of',
  connect: 'stored a token for',
  disconnect: 'removed the token of',
  'token-generate': 'generated a token for',
  env: 'switched the environment of',
  access: 'changed',
  'access-add': 'gave',
  'access-change': 'changed',
  'access-end': 'ended',
  'access-request': 'requested',
  'access-grant': 'gave',
  'access-decline': 'declined',
  'access-settings': 'changed',
  grant: 'gave',
  audit: 'made an',
  'audit-delete': 'deleted',
  handover: 'handed over',
  'handover-file': 'exported',
  policy: 'changed',
  '/cert-order': 'requested',
  resolve: 'recorded the outcome of',
  submit: 'sent',
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrew',
  expire: 'let … expire',
  remind: 'sent a reminder of',
  '/threat': 'looked up',
  details: 'read the details of',
  dns: 'read the DNS records of',
  comments: 'read the comments on',
  whois: 'read the WHOIS record of',
  copy: 'copied',
  screenshot: 'read the screenshot of',
  source: 'read the source of',
  take: 'took',
  note: 'added a note to',
  close: 'closed the case of',
  install: 'installed Signalman in',
  uninstall: 'uninstalled Signalman after the Slack event',
  'role.save': 'changed',
  'setting.save': 'changed the setting',
  'store.restore': 'restored the',
  'audit.retention': 'deleted expired entries of the',
  'audit.erase': 'erased the data of',
  'workspace.erase': 'deleted',
}

export const MAX_OBJECT_LENGTH = 200

export const USER_ID = /^[UW][A-Z0-9]{5,}$/

const UUID = /\b([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}([0-9a-f]{4})\b/gi

/** Words in front of the name of a requested certificate. */
const REQUESTED_OBJECTS = {
  create: 'a certificate for ',
  renew: 'a renewal of ',
  reissue: 'a reissue of ',
} as const

/** What someone did, in words: after it was done, and for an attempt. */
interface Action {
  done: string
  tried: string
}

/** What was done, if the command doesn’t say it: it wasn’t a command, or its object was something else. */
function findOtherAction({ verb, object = '', after }: AuditEntry): Action | undefined {
  if (verb === 'home') return { done: 'opened App Home', tried: 'tried to open App Home' }
  if (object.startsWith('message to ')) return { done: 'sent', tried: 'tried to send' }
  if (object.startsWith('share ')) return { done: 'shared', tried: 'tried to share' }
  if (object.startsWith('digest '))
    return after === 'off' ? { done: 'ended', tried: 'tried to end' } : { done: 'set', tried: 'tried to set' }
  if (object.startsWith('server addresses of '))
    return { done: 'answered a question about', tried: 'tried to answer a question about' }
  return undefined
}

function findAction(entry: AuditEntry, objectText: string): Action {
  const { verb } = entry
  const used = `${cmd(verb)}${objectText && ' on'}`
  const pastTense = PAST_TENSES[verb.split(' ').at(-1) ?? ''] ?? `used ${used}`
  return findOtherAction(entry) ?? { done: pastTense, tried: `tried to use ${used}` }
}

/** Describes the action and its object. Uses the past tense only if the action was completed. */
export function actionLine(entry: AuditEntry): Line[] {
  const { verb, outcome, object = '', after } = entry
  // The object ends with how the action was requested, if not by command: “, through …”, or only “(through …)”.
  const [sourceSuffix = ''] = /, through [^,()]+$|^\(through [^()]+\)$/.exec(object) ?? []
  const objectText = object.slice(0, object.length - sourceSuffix.length)
  const sourceText = sourceSuffix.replace(/^, |[()]/g, '')
  const isDone = outcome === 'done'
  const newEnvironment = ENVIRONMENTS.find((known) => known === asRecord(after).environment)
  if (isDone && verb.endsWith(' env') && newEnvironment)
    return [
      ' switched ',
      // The object names the environment from before the switch.
      ...objectLine(verb, objectText.replace(/ \(OTE\)$/, '')),
      ` to ${ENVIRONMENT_NAMES[newEnvironment]}`,
      sourceText && ` ${sourceText}`,
    ]
  const action = findAction(entry, objectText)
  const [beforeObject = '', afterObject = ''] = (isDone ? action.done : action.tried).split(' …')
  return [
    ` ${beforeObject}${objectText && ' '}`,
    ...objectLine(verb, objectText),
    afterObject,
    ...complementLine(entry),
    sourceText && ` ${sourceText}`,
  ]
}

/** What a sentence needs after its object: what a message is about, or who took something over. */
function complementLine({ verb, outcome, object = '', after }: AuditEntry): Line[] {
  const values = asRecord(after)
  if (object.startsWith('message to '))
    return typeof values.about === 'string' ? [` about ${oneLine(values.about)}`] : []
  if (outcome !== 'done' || !/ handover$/.test(verb)) return []
  const newOwner = NEW_OWNER_FIELDS.map((field) => values[field]).find(isUserId)
  return newOwner === undefined ? [] : [' to ', person(newOwner)]
}

/** The fields that name the new owner: of an outage, a watch or job, a certificate, and an order. */
const NEW_OWNER_FIELDS = ['to', 'onIt', 'owner', 'ownerId', 'holder', 'requestedBy'] as const

const isUserId = (value: unknown): value is string => typeof value === 'string' && USER_ID.test(value)

/** `health check Group wiki`, `threat event 7e57…0001`, `the operator role of @Max`. */
function objectLine(verb: string, object: string): Line[] {
  const text = oneLine(object)
  // IDs in other objects may be part of text that someone typed.
  return (
    findRoleLine(verb, text) ??
    findPersonalLine(text) ??
    linkChannel(clip(describeObject(verb, text), MAX_OBJECT_LENGTH))
  )
}

const describeObject = (verb: string, object: string): string =>
  object
    .replace(/^([a-z]+)-([a-z]+) /, '$1 $2 ')
    .replace(/^(connection to the OTE environment) \(OTE\)$/, '$1')
    .replace(/^(?:connection|order policy|server addresses of) ?/, 'the $&')
    .replace(/^share (.*)$/, (_, line) => `the answer to ${cmd(line)}`)
    .replace(/ [0-9a-f-]{36} \((.+?)\)( \(OTE\))?$/, ' $1$2')
    // The verb already says what the object is: “muted web”, “watched everything”. But a watch itself is handed over.
    .replace(
      /^(mute|watch|maintenance) [\w-]{22} \((.+?)\)( \(OTE\))?$/,
      (_, _kind, name, ote = '') => `${verb.endsWith('handover') ? 'the watch of ' : ''}${name}${ote}`,
    )
    .replace(/^watch [\w-]{22}(?= \(OTE\)|$)/, 'a watch')
    .replace(/^card [\w-]{22}(?= |$)/, 'the outages of a card')
    .replace(/^card (?:production|ote)(?= |$)/, 'all outages')
    .replace(/^job [\w-]{22}(?= \(OTE\)$|$)/, 'the bulk change')
    .replace(/^import [\w-]{22}(?= \(OTE\)$|$)/, 'the import')
    .replace(/^(job|import) \S+ \((.+?)\)( \(OTE\))?$/, 'the $1 “$2”$3')
    .replace(/^order(?: (\d+))?: (create|renew|reissue) /, (_, number, action) =>
      number ? `order ${number} for ` : REQUESTED_OBJECTS[action as keyof typeof REQUESTED_OBJECTS],
    )
    .replace(/^digest (?=[CDG])/, 'the daily summary of ')
    .replace(/^(?:channel|(the daily summary of)) D[A-Z0-9]{5,}/, (_, summary = '') =>
      `${summary} a DM`.trim(),
    )
    .replaceAll(UUID, '$1…$2')

/** “Gave the operator role to Max”, “requested the operator role for Max”, and “ended the operator role of Max”. */
const ROLE_PREPOSITIONS: Readonly<Record<string, string>> = {
  grant: 'to',
  'access-grant': 'to',
  'access-add': 'to',
  'access-request': 'for',
  'access-decline': 'for',
}

function findRoleLine(verb: string, object: string): Line[] | undefined {
  const [, role, subject, rest = ''] = /^role (\w+)(?: of (\S+))?(.*)$/.exec(object) ?? []
  if (role === undefined) return undefined
  const name = `the ${role} role`
  if (subject === undefined) return [name, rest]
  const preposition = ROLE_PREPOSITIONS[verb.split(' ').at(-1) ?? ''] ?? 'of'
  return [`${name} ${preposition} `, formatSubject(subject), rest]
}

const formatSubject = (subject: string): Line => {
  if (USER_ID.test(subject)) return person(subject)
  return /^S[A-Z0-9]{7,}$/.test(subject) ? group(subject) : subject
}

/** Objects about a person, as Signalman itself writes them. */
const PERSONAL_OBJECTS: Readonly<Record<string, string>> = {
  what: 'what',
  'outages of': 'the outages of',
  'message to': 'a message to',
}

function findPersonalLine(object: string): Line[] | undefined {
  const [, kind = '', userId, rest = ''] =
    /^(what|outages of|message to) ([UW][A-Z0-9]{5,})( owns)?(?: \(OTE\))?$/.exec(object) ?? []
  return userId === undefined ? undefined : [`${PERSONAL_OBJECTS[kind]} `, person(userId), rest]
}

/** Matches objects about a channel, as Signalman itself writes them. */
const CHANNEL_OBJECT = /^(channel |the daily summary of )([CG][A-Z0-9]{5,})(\/[\d.]+)?( \(OTE\))?$/

function linkChannel(text: string): Line[] {
  const [, prefix = '', channelId, threadTs, rest = ''] = CHANNEL_OBJECT.exec(text) ?? []
  if (channelId === undefined) return [text]
  const place = threadTs === undefined ? prefix : `${prefix.replace('channel ', '')}a thread in `
  return [place, { type: 'channel', channel_id: channelId }, rest]
}

export const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
