import type { Message } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { BindButtons } from './bind-buttons.ts'

/** A message with its buttons ready to send. */
export type BindMessage = (
  request: Parameters<BindButtons>[0],
  environment: Environment,
  message: Message,
) => Promise<Message>

export const createBindMessage =
  (bindButtons: BindButtons): BindMessage =>
  async (request, environment, message) => ({
    ...message,
    blocks: await bindButtons(request, environment, message.blocks),
  })

/** A button that belongs to the conversation in which it is, and to no request. */
export const createBindUnasked =
  (bindButtons: BindButtons): BindMessage =>
  ({ workspaceId }, environment, message) =>
    createBindMessage(bindButtons)({ workspaceId }, environment, message)
