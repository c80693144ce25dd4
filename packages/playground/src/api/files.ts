import { raiseEvent } from '../acts/event.ts'
import { FILE_LIMIT_BYTES, type StoredFile } from '../files.ts'
import type { Caller } from '../installs.ts'
import { fieldsOf, opened, stringOf } from '../json.ts'
import type { Channel, FileInfo } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { destination, saidBy, thread } from './chat.ts'
import { ApiRefusal, type Args, idsOf, type Method, optional, required, wrong } from './reply.ts'

const getUploadUrl: Method = ({ files, url }, args, caller) => {
  const length = Number(required(args, 'length'))
  if (!Number.isInteger(length) || length <= 0) throw wrong('must be greater than 0 [json-pointer:/length]')
  if (length > FILE_LIMIT_BYTES) throw new ApiRefusal('file_upload_size_restricted')
  const file = files.add(
    required(args, 'filename'),
    caller.bot(caller.teamId).userId,
    null,
    optional(args, 'alt_txt') ?? optional(args, 'alt_text'),
  )
  file.declaredSize = length
  return { upload_url: `${url()}/upload/v1/${file.info.id}`, file_id: file.info.id }
}

/** Where it is shared: in one channel or several. */
const CHANNELS_AT_MOST = 100
function places(slack: Slack, args: Args, caller: Caller): Channel[] {
  const ids = optional(args, 'channel_id') === undefined ? idsOf(args, 'channels') : idsOf(args, 'channel_id')
  if (ids.length > CHANNELS_AT_MOST) throw new ApiRefusal('channels_limit_exceeded')
  return ids.map((channel) => destination(slack, { channel }, caller))
}

const complete: Method = (slack, args, caller) => {
  const { files } = slack
  const given = fieldsOf(opened(args.files))
  if (given.length === 0) throw wrong('missing required field: files')
  const channels = places(slack, args, caller)
  const [first] = channels
  const threadTs = first ? thread(slack, first, args) : null
  if (new Set(given.map(({ id }) => id)).size < given.length) throw wrong('`files` names a file twice.')
  const found = given.map((one): [StoredFile, string | undefined] => {
    const file = files.find(stringOf(one.id) ?? '')
    if (!file?.bytes) throw new ApiRefusal('file_not_found', ['Upload the bytes to upload_url first.'])
    if (file.complete) throw new ApiRefusal('file_not_found', ['That upload is complete already.'])
    return [file, stringOf(one.title)]
  })
  for (const [file, title] of found) {
    file.complete = true
    if (title) file.info.title = title
    file.channels.push(...channels.map(({ id }) => id))
    files.save(file)
  }
  const infos = found.map(([file]): FileInfo => file.info)
  for (const channel of channels) {
    const text = optional(args, 'initial_comment') ?? ''
    const message = saidBy(slack, caller, channel, { text, files: infos, threadTs })
    for (const { id } of infos) files.share(id, message)
  }
  return { files: found.map(([file]) => files.slackFile(file, caller.teamId)) }
}

/** Kinds of file that can be requested. Those that aren't determined by the media type never occur here. */
const KINDS: Readonly<Record<string, RegExp>> = {
  ...{ all: /./, images: /^image\//, pdfs: /pdf$/, zips: /zip$/ },
  ...{ spaces: /^$/, snippets: /^$/, gdocs: /^$/, canvases: /^$/ },
}

/** A whole number above 0, as JSON or as a form's text. */
function countOf(args: Args, name: string, byDefault: number): number {
  const count = Number(args[name] ?? byDefault)
  if (!Number.isInteger(count) || count < 1)
    throw new ApiRefusal('invalid_arguments', [`\`${name}\` must be a number`])
  return count
}

/**
 * Files that the app can see, newest first, in numbered pages (https://docs.slack.dev/reference/methods/files.list, November
 * 2026).
 */
const list: Method = (slack, args, caller) => {
  const kinds = (args.types === undefined ? ['all'] : idsOf(args, 'types')).map((type) => KINDS[type])
  if (kinds.includes(undefined)) throw new ApiRefusal('unknown_type')
  const user = optional(args, 'user')
  if (user !== undefined && !slack.people.find(user)) throw new ApiRefusal('user_not_found')
  const [wanted, from, to] = [
    optional(args, 'channel'),
    Number(args.ts_from ?? 0),
    Number(args.ts_to ?? Infinity),
  ]
  const { userId } = caller.bot(caller.teamId)
  const isSeen = ({ info, channels }: StoredFile) =>
    info.user === userId || channels.some((id) => slack.people.channel(id)?.members.includes(userId))
  const found = slack.files
    .all()
    .filter((one) => one.complete && isSeen(one) && kinds.some((kind) => kind?.test(one.info.mimetype)))
    .filter(
      ({ info, channels }) =>
        (user ?? info.user) === info.user && channels.includes(wanted ?? channels[0] ?? ''),
    )
    .filter(({ createdMs }) => createdMs >= from * 1000 && createdMs <= to * 1000)
    .reverse()
  const count = countOf(args, 'count', 100)
  const page = countOf(args, 'page', 1)
  const shown = found.slice((page - 1) * count, page * count)
  return {
    files: shown.map((file) => slack.files.slackFile(file, caller.teamId)),
    paging: { count, total: found.length, page, pages: Math.ceil(found.length / count) },
  }
}

/** One of the app's own files is removed from every message, and the app is told. */
const remove: Method = (slack, args, caller) => {
  const { files, messages } = slack
  const file = files.find(required(args, 'file'))
  if (!file?.complete) throw new ApiRefusal('file_not_found')
  const { userId } = caller.bot(caller.teamId)
  if (file.info.user !== userId) throw new ApiRefusal('cant_delete_file')
  files.remove(file.info.id)
  for (const message of file.channels.flatMap((id) => messages.list(id)))
    if (message.files.includes(file.info))
      messages.change(message, { files: message.files.filter((one) => one !== file.info) })
  const event = { file_id: file.info.id, channel_ids: file.channels }
  void raiseEvent(slack, 'file_deleted', userId, event)
  return {}
}

const info: Method = ({ files }, args, caller) => {
  const file = files.find(required(args, 'file'))
  if (!file?.complete) throw new ApiRefusal('file_not_found')
  // Files no longer have comments; the list still exists.
  const response_metadata = { next_cursor: '' }
  return { file: files.slackFile(file, caller.teamId), comments: [], response_metadata }
}

export const fileMethods: Record<string, Method> = {
  'files.getUploadURLExternal': getUploadUrl,
  'files.completeUploadExternal': complete,
  'files.info': info,
  'files.list': list,
  'files.delete': remove,
}
