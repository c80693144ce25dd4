import type { Message } from '../../blocks/message.ts'
import type { Environment } from '../../store/store.ts'
import type { SlackClients } from '../client/clients.ts'
import type { Posted } from '../client/slack-client.ts'
import type { Where } from '../installs/tenancy.ts'
import type { Place } from '../place.ts'
import type { Desk } from './desk.ts'

/** Writes messages whose buttons work. All of them throw what Slack refuses with. */
export interface Messenger {
  post(where: Where, environment: Environment, channelId: string, message: Message): Promise<Posted>
  /** To somebody's direct messages with the app. */
  direct(where: Where, environment: Environment, userId: string, message: Message): Promise<Posted>
  /** In the place of a message of the app. */
  edit(where: Where, environment: Environment, posted: Posted, message: Message): Promise<void>
}

export function createMessenger(parts: { clients: SlackClients; desk: Pick<Desk, 'sealed'> }): Messenger {
  const { clients, desk } = parts

  /** A button belongs to the conversation that it stands in, and to no request. */
  async function ready(where: Where, environment: Environment, message: Message): Promise<Message> {
    const blocks = await desk.sealed({ ...NOWHERE, ...where }, environment, message.blocks)
    return { ...message, blocks }
  }

  return {
    async post(where, environment, channelId, message) {
      const sealed = await ready(where, environment, message)
      return { channelId, ts: await (await clients.of(where)).post({ channelId }, sealed) }
    },
    async direct(where, environment, userId, message) {
      return (await clients.of(where)).postDirect(userId, await ready(where, environment, message))
    },
    async edit(where, environment, posted, message) {
      await (await clients.of(where)).edit(posted, await ready(where, environment, message))
    },
  }
}

const NOWHERE: Omit<Place, 'workspaceId' | 'enterpriseId'> = {
  userId: '',
  userTeamId: undefined,
  channelId: undefined,
  responseUrl: undefined,
  triggerId: undefined,
  modalId: undefined,
  threadTs: undefined,
  environment: undefined,
  reference: '',
}
