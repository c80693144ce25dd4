import { asString, objectsIn, parseEmbeddedJson } from '../protocol/json.ts'
import type { Caller } from '../state/installs.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { keys, values } from './arguments.ts'
import { findWritableChannel } from './chat.ts'
import {
  ApiError,
  type Args,
  invalidArguments,
  type Method,
  optional,
  type RunMethod,
  required,
} from './method.ts'

// Methods for assistant threads: https://docs.slack.dev/reference/methods/assistant.threads.setStatus (November 2026).

const MAX_PROMPTS = 4

/** Finds the first message of the thread. Throws ApiError if there is none. */
function findThreadParent(world: World, args: Args, caller: Caller, ts: string): StoredMessage {
  const channel = findWritableChannel(world, { channel: args.channel_id ?? null }, caller)
  const message = world.messages.find(channel.id, ts)
  if (!message || message.ephemeral) throw new ApiError('invalid_thread_ts')
  return message
}

const setStatus: RunMethod = ({ world, args, caller }) => {
  const message = findThreadParent(world, args, caller, required(args, 'thread_ts'))
  if (typeof args.status !== 'string') throw invalidArguments('missing required field: status')
  world.messages.setAssistant(message, { status: args.status })
  return {}
}

const setTitle: RunMethod = ({ world, args, caller }) => {
  const message = findThreadParent(world, args, caller, required(args, 'thread_ts'))
  world.messages.setAssistant(message, { title: required(args, 'title') })
  return {}
}

const setPrompts: RunMethod = ({ world, args, caller }) => {
  const ts = optional(args, 'thread_ts')
  const message = ts === undefined ? undefined : findThreadParent(world, args, caller, ts)
  const entries = objectsIn(parseEmbeddedJson(args.prompts))
  const prompts = entries.map((entry) => ({
    title: asString(entry.title) ?? '',
    message: asString(entry.message) ?? '',
  }))
  if (prompts.length === 0 || prompts.some(({ title, message }) => title === '' || message === ''))
    throw invalidArguments('`prompts` must be a list of {title, message}.')
  if (prompts.length > MAX_PROMPTS)
    throw new ApiError('invalid_arguments', [`\`prompts\` must have at most ${MAX_PROMPTS} entries.`])
  if (message) world.messages.setAssistant(message, { prompts, heading: optional(args, 'title') ?? '' })
  return {}
}

export const assistantMethods: Record<string, Method> = {
  'assistant.threads.setStatus': {
    args: { channel_id: 'id', ...values('thread_ts status') },
    run: setStatus,
  },
  'assistant.threads.setTitle': { args: { channel_id: 'id', ...values('thread_ts title') }, run: setTitle },
  'assistant.threads.setSuggestedPrompts': {
    args: { channel_id: 'id', ...values('thread_ts title'), prompts: keys('title message') },
    run: setPrompts,
  },
}
