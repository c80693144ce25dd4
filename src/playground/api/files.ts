import { FILE_LIMIT_BYTES, type StoredFile } from '../files.ts'
import { fieldsOf, parseJson, stringOf } from '../json.ts'
import { BOT_USER } from '../people.ts'
import type { Channel, FileInfo } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { ApiRefusal, type Args, type Method, optional, required } from './reply.ts'

const getUploadUrl: Method = ({ files, url }, args) => {
  const length = Number(required(args, 'length'))
  if (!Number.isInteger(length) || length <= 0)
    throw new ApiRefusal('invalid_arguments', ['must be greater than 0 [json-pointer:/length]'])
  if (length > FILE_LIMIT_BYTES) throw new ApiRefusal('file_upload_size_restricted')
  const file = files.add(
    required(args, 'filename'),
    BOT_USER,
    null,
    optional(args, 'alt_txt') ?? optional(args, 'alt_text'),
  )
  file.info.size = length
  return { upload_url: `${url()}/upload/v1/${file.info.id}`, file_id: file.info.id }
}

function place({ people }: Slack, args: Args): Channel | undefined {
  const id = optional(args, 'channel_id') ?? optional(args, 'channels')
  if (id === undefined) return undefined
  const channel = people.channel(id)
  if (!channel) throw new ApiRefusal('channel_not_found')
  if (!channel.members.includes(BOT_USER)) throw new ApiRefusal('not_in_channel')
  return channel
}

const complete: Method = (slack, args) => {
  const { files, messages, people } = slack
  const given = fieldsOf(typeof args.files === 'string' ? parseJson(args.files) : args.files)
  if (given.length === 0) throw new ApiRefusal('invalid_arguments', ['missing required field: files'])
  const channel = place(slack, args)
  const found = given.map((one): [StoredFile, string | undefined] => {
    const file = files.find(stringOf(one.id) ?? '')
    if (!file?.bytes) throw new ApiRefusal('file_not_found', ['Upload the bytes to upload_url first.'])
    return [file, stringOf(one.title)]
  })
  for (const [file, title] of found) {
    file.complete = true
    if (title) file.info.title = title
    if (channel) file.channels.push(channel.id)
  }
  const infos = found.map(([file]): FileInfo => file.info)
  if (channel)
    messages.post({
      channel: channel.id,
      user: BOT_USER,
      app: true,
      text: optional(args, 'initial_comment') ?? '',
      files: infos,
      threadTs: optional(args, 'thread_ts') ?? null,
    })
  return { files: found.map(([file]) => files.slackFile(file, people.workspace.id)) }
}

const info: Method = ({ files, people }, args) => {
  const file = files.find(required(args, 'file'))
  if (!file?.complete) throw new ApiRefusal('file_not_found')
  return { file: files.slackFile(file, people.workspace.id) }
}

export const fileMethods: Record<string, Method> = {
  'files.getUploadURLExternal': getUploadUrl,
  'files.completeUploadExternal': complete,
  'files.info': info,
}
