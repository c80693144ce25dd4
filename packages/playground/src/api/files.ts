import { asString, objectsIn, parseEmbeddedJson } from '../protocol/json.ts'
import type { FileInfo } from '../protocol/protocol.ts'
import { isVisibleFile } from '../state/app-access.ts'
import { FILE_LIMIT_BYTES } from '../state/files.ts'
import type { Caller } from '../state/installs.ts'
import type { StoredFile } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { findWritableChannel, postAsBot, readThreadTs } from './chat.ts'
import { ApiError, type Args, invalidArguments, optional, type RunMethod, required } from './method.ts'

const getUploadUrl: RunMethod = ({ world: { files, url }, args, caller }) => {
  const length = Number(required(args, 'length'))
  if (!Number.isInteger(length) || length <= 0)
    throw invalidArguments('must be greater than 0 [json-pointer:/length]')
  if (length > FILE_LIMIT_BYTES) throw new ApiError('file_upload_size_restricted')
  const file = files.add(
    required(args, 'filename'),
    caller.bot(caller.teamId).userId,
    null,
    optional(args, 'alt_txt'),
  )
  file.declaredSize = length
  return { upload_url: `${url()}/upload/v1/${file.info.id}`, file_id: file.info.id }
}

function findVisibleFile(world: World, args: Args, caller: Caller): StoredFile {
  const file = world.files.find(required(args, 'file'))
  if (!file || !isVisibleFile(world, file, caller)) throw new ApiError('file_not_found')
  return file
}

const complete: RunMethod = ({ world, args, caller }) => {
  const { files } = world
  const entries = objectsIn(parseEmbeddedJson(args.files))
  if (entries.length === 0) throw invalidArguments('missing required field: files')
  const channelId = optional(args, 'channel_id')
  const channel =
    channelId === undefined ? undefined : findWritableChannel(world, { channel: channelId }, caller)
  const threadTs = channel ? readThreadTs(world, channel, args) : null
  if (new Set(entries.map(({ id }) => id)).size < entries.length)
    throw invalidArguments('`files` contains the same file twice.')
  const uploads = entries.map((entry): [StoredFile, string | undefined] => {
    const file = files.find(asString(entry.id) ?? '')
    const isOwn = file?.info.user === caller.bot(caller.teamId).userId
    if (!file?.bytes || !isOwn)
      throw new ApiError('file_not_found', ['Upload the bytes to upload_url first.'])
    if (file.complete) throw new ApiError('file_not_found', ['This upload is already complete.'])
    return [file, asString(entry.title)]
  })
  for (const [file, title] of uploads) {
    file.complete = true
    if (title) file.info.title = title
    if (channel) file.channels.push(channel.id)
  }
  const fileInfos = uploads.map(([file]): FileInfo => file.info)
  if (channel) {
    const text = optional(args, 'initial_comment') ?? ''
    postAsBot(world, caller, channel, { text, files: fileInfos, threadTs })
  }
  return { files: uploads.map(([file]) => files.slackFile(file, caller.teamId)) }
}

const info: RunMethod = ({ world, args, caller }) => {
  const file = findVisibleFile(world, args, caller)
  return { file: world.files.slackFile(file, caller.teamId) }
}

export const fileMethods: Record<string, RunMethod> = {
  'files.getUploadURLExternal': getUploadUrl,
  'files.completeUploadExternal': complete,
  'files.info': info,
}
