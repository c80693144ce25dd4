import type { Caller } from '../installs.ts'
import { fieldsOf, isFields, opened, stringOf } from '../json.ts'
import type { Stored } from '../messages.ts'
import type { Block, Fields, Json } from '../protocol.ts'
import { messageFields, type Slack } from '../slack.ts'
import { checkMessage } from '../strict/message.ts'
import { destination, own, saidBy, thread } from './chat.ts'
import { ApiRefusal, type Args, type Method, optional, required } from './reply.ts'

/** Messages that are shown while they are written: https://docs.slack.dev/reference/methods/chat.startStream (November 2026). */
const MARKDOWN_AT_MOST = 12_000

const markdownOf = (blocks: readonly Fields[]): string =>
  String(blocks.find(({ type }) => type === 'markdown')?.text ?? '')

/** A task replaces an earlier one with its ID. */
function withTask(tasks: readonly Fields[], { type: _, id, ...task }: Fields): Fields[] {
  const made: Fields = { ...task, task_id: id ?? '', type: 'task_card' }
  const known = tasks.some(({ task_id }) => task_id === made.task_id)
  return known
    ? tasks.map((one) => (one.task_id === made.task_id ? { ...one, ...made } : one))
    : [...tasks, made]
}

function richTask({ details, output, ...task }: Fields): Fields {
  const rich = (text: Json | undefined): Json | undefined =>
    typeof text === 'string'
      ? { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] }
      : text
  const [more, out] = [rich(details), rich(output)]
  return { ...task, ...(more !== undefined && { details: more }), ...(out !== undefined && { output: out }) }
}

/** The blocks of a streamed message after one more chunk. */
function withChunk(blocks: readonly Fields[], chunk: Fields): Fields[] {
  const plan = blocks.find(({ type }) => type === 'plan')
  const rest = blocks.filter((one) => one !== plan)
  const withPlan = (change: Fields): Fields[] => [
    { type: 'plan', title: 'Plan', tasks: [], ...plan, ...change },
    ...rest,
  ]
  switch (chunk.type) {
    case 'markdown_text': {
      const text = markdownOf(blocks) + (stringOf(chunk.text) ?? '')
      return [...blocks.filter(({ type }) => type !== 'markdown'), { type: 'markdown', text }]
    }
    case 'plan_update':
      return withPlan({ title: chunk.title ?? 'Plan' })
    case 'task_update':
      return withPlan({ tasks: withTask(fieldsOf(plan?.tasks), richTask(chunk)) })
    case 'blocks':
      return [...blocks, ...fieldsOf(chunk.blocks)]
    default:
      throw new ApiRefusal('invalid_chunks', [`There are no chunks of type ${String(chunk.type)}.`])
  }
}

function chunksOf(args: Args): Fields[] {
  const given = opened(args.chunks)
  if (given !== undefined && (!Array.isArray(given) || !given.every(isFields)))
    throw new ApiRefusal('invalid_chunks', ['`chunks` must be a list of objects.'])
  const markdown = optional(args, 'markdown_text')
  if (markdown !== undefined && [...markdown].length > MARKDOWN_AT_MOST) throw new ApiRefusal('msg_too_long')
  return [...(markdown === undefined ? [] : [{ type: 'markdown_text', text: markdown }]), ...fieldsOf(given)]
}

/** The message after these chunks, validated like any message. */
function grown({ levels }: Slack, blocks: readonly Fields[], chunks: readonly Fields[]): Block[] {
  const next = chunks.reduce<Fields[]>((sum, chunk) => withChunk(sum, chunk), [...blocks])
  const filled = next.filter((one) => one.type !== 'markdown' || one.text !== '')
  if (filled.length === 0) return []
  const checked = checkMessage({ text: 'x', blocks: filled }, { levels })
  if ('error' in checked) throw new ApiRefusal(checked.error, checked.notes)
  return checked.blocks
}

const start: Method = (slack, args, caller) => {
  const channel = destination(slack, args, caller)
  required(args, 'thread_ts')
  const threadTs = thread(slack, channel, args)
  if (channel.kind === 'channel') {
    if (optional(args, 'recipient_user_id') === undefined) throw new ApiRefusal('missing_recipient_user_id')
    if (optional(args, 'recipient_team_id') === undefined) throw new ApiRefusal('missing_recipient_team_id')
  }
  const blocks = grown(slack, [], chunksOf(args))
  const stored = saidBy(slack, caller, channel, { threadTs, text: markdownOf(blocks), blocks })
  slack.messages.change(stored, { streaming: true })
  return { channel: channel.id, ts: stored.ts }
}

function streaming(slack: Slack, args: Args, caller: Caller): Stored {
  const channel = destination(slack, args, caller)
  const message = own(slack, channel, required(args, 'ts'), 'message_not_owned_by_app')
  if (!message.streaming) throw new ApiRefusal('message_not_in_streaming_state')
  return message
}

const append: Method = (slack, args, caller) => {
  const message = streaming(slack, args, caller)
  const chunks = chunksOf(args)
  if (chunks.length === 0) throw new ApiRefusal('no_text')
  const blocks = grown(slack, message.blocks, chunks)
  slack.messages.change(message, { blocks, text: markdownOf(blocks) })
  return { channel: message.channel, ts: message.ts }
}

const stop: Method = (slack, args, caller) => {
  const message = streaming(slack, args, caller)
  const last = opened(args.blocks)
  const chunks = [...chunksOf(args), ...(last === undefined ? [] : [{ type: 'blocks', blocks: last }])]
  const blocks = grown(slack, message.blocks, chunks)
  slack.messages.change(message, { blocks, text: markdownOf(blocks), streaming: false })
  return { channel: message.channel, ts: message.ts, message: messageFields(slack, message) }
}

export const streamMethods: Record<string, Method> = {
  'chat.startStream': start,
  'chat.appendStream': append,
  'chat.stopStream': stop,
}
