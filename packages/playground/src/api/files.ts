import { FILE_LIMIT_BYTES, type StoredFile } from '../files.ts'
import type { Caller } from '../installs.ts'
import { fieldsOf, parseJson, stringOf } from '../json.ts'
import type { Channel, FileInfo } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { ApiRefusal, type Args, type Method, optional, required } from './reply.ts'

const getUploadUrl: Method = ({ files, url }, args, caller) => {
  const length = Number(required(args, 'length'))
  if (!Number.isInteger(length) || length <= 0)
    throw new ApiRefusal('invalid_arguments', ['must be greater than 0 [json-pointer:/length]'])
  if (length > FILE_LIMIT_BYTES) throw new ApiRefusal('file_upload_size_restricted')
  const file = files.add(
    required(args, 'filename'),
    caller.bot(teamOf(caller)).userId,
    null,
    optional(args, 'alt_txt') ?? optional(args, 'alt_text'),
  )
  file.declaredSize = length
  return { upload_url: `${url()}/upload/v1/${file.info.id}`, file_id: file.info.id }
}

/** The workspace that the caller acts in; of an organization's, the first one. */
const teamOf = ({ workspaces }: Caller): string => workspaces[0] ?? ''

function place({ people }: Slack, args: Args, { reaches, bot }: Caller): Channel | undefined {
  const id = optional(args, 'channel_id') ?? optional(args, 'channels')
  if (id === undefined) return undefined
  const channel = people.channel(id)
  if (!channel || !reaches(channel.teamId)) throw new ApiRefusal('channel_not_found')
  if (!channel.members.includes(bot(channel.teamId).userId)) throw new ApiRefusal('not_in_channel')
  return channel
}

const complete: Method = (slack, args, caller) => {
  const { files, messages } = slack
  const given = fieldsOf(typeof args.files === 'string' ? parseJson(args.files) : args.files)
  if (given.length === 0) throw new ApiRefusal('invalid_arguments', ['missing required field: files'])
  const channel = place(slack, args, caller)
  const threadTs = optional(args, 'thread_ts') ?? null
  if (threadTs !== null && !(channel && messages.find(channel.id, threadTs)))
    throw new ApiRefusal('thread_not_found')
  if (new Set(given.map(({ id }) => id)).size < given.length)
    throw new ApiRefusal('invalid_arguments', ['`files` names a file twice.'])
  const found = given.map((one): [StoredFile, string | undefined] => {
    const file = files.find(stringOf(one.id) ?? '')
    if (!file?.bytes) throw new ApiRefusal('file_not_found', ['Upload the bytes to upload_url first.'])
    if (file.complete) throw new ApiRefusal('file_not_found', ['That upload is complete already.'])
    return [file, stringOf(one.title)]
  })
  for (const [file, title] of found) {
    file.complete = true
    if (title) file.info.title = title
    if (channel) file.channels.push(channel.id)
    files.save(file)
  }
  const infos = found.map(([file]): FileInfo => file.info)
  if (channel)
    messages.post({
      channel: channel.id,
      user: caller.bot(channel.teamId).userId,
      app: true,
      text: optional(args, 'initial_comment') ?? '',
      files: infos,
      threadTs,
    })
  return { files: found.map(([file]) => files.slackFile(file, teamOf(caller))) }
}

const info: Method = ({ files }, args, caller) => {
  const file = files.find(required(args, 'file'))
  if (!file?.complete) throw new ApiRefusal('file_not_found')
  return { file: files.slackFile(file, teamOf(caller)) }
}

export const fileMethods: Record<string, Method> = {
  'files.getUploadURLExternal': getUploadUrl,
  'files.completeUploadExternal': complete,
  'files.info': info,
}
