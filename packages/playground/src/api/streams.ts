import { messageFields } from '../payloads/message.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { asString, isFields, objectsIn, parseEmbeddedJson } from '../protocol/json.ts'
import type { Block } from '../protocol/protocol.ts'
import { createAppAccess } from '../state/app-access.ts'
import type { Caller } from '../state/installs.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { checkMessage } from '../validation/message.ts'
import { values } from './arguments.ts'
import { findAppMessage, findWritableChannel, postAsBot, readThreadTs } from './chat.ts'
import { ApiError, type Args, type Method, optional, type RunMethod, required } from './method.ts'

// Methods for streamed messages: https://docs.slack.dev/reference/methods/chat.startStream (November 2026).

const MAX_MARKDOWN_LENGTH = 12_000

const findMarkdown = (blocks: readonly Fields[]): string =>
  String(blocks.find(({ type }) => type === 'markdown')?.text ?? '')

/** Adds a task, or updates the task with the same ID. */
function withTask(tasks: readonly Fields[], { type: _, id, ...task }: Fields): Fields[] {
  const card: Fields = { ...task, task_id: id ?? '', type: 'task_card' }
  const exists = tasks.some(({ task_id }) => task_id === card.task_id)
  return exists
    ? tasks.map((existing) => (existing.task_id === card.task_id ? { ...existing, ...card } : existing))
    : [...tasks, card]
}

function withRichText({ details, output, ...task }: Fields): Fields {
  const toRichText = (text: Json | undefined): Json | undefined =>
    typeof text === 'string'
      ? { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] }
      : text
  const [richDetails, richOutput] = [toRichText(details), toRichText(output)]
  return {
    ...task,
    ...(richDetails !== undefined && { details: richDetails }),
    ...(richOutput !== undefined && { output: richOutput }),
  }
}

/** Returns the blocks of a streamed message with a chunk added. */
function withChunk(blocks: readonly Fields[], chunk: Fields): Fields[] {
  const plan = blocks.find(({ type }) => type === 'plan')
  const otherBlocks = blocks.filter((block) => block !== plan)
  const withPlan = (change: Fields): Fields[] => [
    { type: 'plan', title: 'Plan', tasks: [], ...plan, ...change },
    ...otherBlocks,
  ]
  switch (chunk.type) {
    case 'markdown_text': {
      const text = findMarkdown(blocks) + (asString(chunk.text) ?? '')
      return [...blocks.filter(({ type }) => type !== 'markdown'), { type: 'markdown', text }]
    }
    case 'plan_update':
      return withPlan({ title: chunk.title ?? 'Plan' })
    case 'task_update':
      return withPlan({ tasks: withTask(objectsIn(plan?.tasks), withRichText(chunk)) })
    case 'blocks':
      return [...blocks, ...objectsIn(chunk.blocks)]
    default:
      throw new ApiError('invalid_chunks', [`Unknown type of chunk: ${String(chunk.type)}.`])
  }
}

function readChunks(args: Args): Fields[] {
  const chunks = parseEmbeddedJson(args.chunks)
  if (chunks !== undefined && (!Array.isArray(chunks) || !chunks.every(isFields)))
    throw new ApiError('invalid_chunks', ['`chunks` must be a list of objects.'])
  const markdown = optional(args, 'markdown_text')
  if (markdown !== undefined && [...markdown].length > MAX_MARKDOWN_LENGTH) throw new ApiError('msg_too_long')
  return [
    ...(markdown === undefined ? [] : [{ type: 'markdown_text', text: markdown }]),
    ...objectsIn(chunks),
  ]
}

/** Returns the blocks of a streamed message with chunks added. Throws ApiError if Slack would reject the resulting blocks. */
function addChunks(
  world: World,
  caller: Caller,
  blocks: readonly Fields[],
  chunks: readonly Fields[],
): Block[] {
  const combined = chunks.reduce<Fields[]>((current, chunk) => withChunk(current, chunk), [...blocks])
  const nonEmpty = combined.filter(({ type, text }) => type !== 'markdown' || text !== '')
  if (nonEmpty.length === 0) return []
  const options = { levels: world.levels, access: createAppAccess(world, caller) }
  const checked = checkMessage({ text: 'x', blocks: nonEmpty }, options)
  if ('error' in checked) throw new ApiError(checked.error, checked.notes)
  return checked.blocks
}

const start: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller)
  required(args, 'thread_ts')
  const threadTs = readThreadTs(world, channel, args)
  if (channel.kind === 'channel') {
    if (optional(args, 'recipient_user_id') === undefined) throw new ApiError('missing_recipient_user_id')
    if (optional(args, 'recipient_team_id') === undefined) throw new ApiError('missing_recipient_team_id')
  }
  const blocks = addChunks(world, caller, [], readChunks(args))
  const message = postAsBot(world, caller, channel, { threadTs, text: findMarkdown(blocks), blocks })
  world.messages.change(message, { streaming: true })
  return { channel: channel.id, ts: message.ts }
}

function findStreamingMessage(world: World, args: Args, caller: Caller): StoredMessage {
  const channel = findWritableChannel(world, args, caller)
  const message = findAppMessage(world, channel, required(args, 'ts'), 'message_not_owned_by_app')
  if (!message.streaming) throw new ApiError('message_not_in_streaming_state')
  return message
}

const append: RunMethod = ({ world, args, caller }) => {
  const message = findStreamingMessage(world, args, caller)
  const chunks = readChunks(args)
  if (chunks.length === 0) throw new ApiError('no_text')
  const blocks = addChunks(world, caller, message.blocks, chunks)
  world.messages.change(message, { blocks, text: findMarkdown(blocks) })
  return { channel: message.channel, ts: message.ts }
}

const stop: RunMethod = ({ world, args, caller }) => {
  const message = findStreamingMessage(world, args, caller)
  const finalBlocks = parseEmbeddedJson(args.blocks)
  const chunks = [
    ...readChunks(args),
    ...(finalBlocks === undefined ? [] : [{ type: 'blocks', blocks: finalBlocks }]),
  ]
  const blocks = addChunks(world, caller, message.blocks, chunks)
  world.messages.change(message, { blocks, text: findMarkdown(blocks), streaming: false })
  return { channel: message.channel, ts: message.ts, message: messageFields(world, message) }
}

export const streamMethods: Record<string, Method> = {
  'chat.startStream': {
    args: { channel: 'id', ...values('thread_ts recipient_user_id recipient_team_id chunks markdown_text') },
    run: start,
  },
  'chat.appendStream': { args: { channel: 'id', ...values('ts chunks markdown_text') }, run: append },
  'chat.stopStream': { args: { channel: 'id', ...values('ts chunks markdown_text blocks') }, run: stop },
}
