import { type Message, withoutCommands } from '@signalman/slack'
import { mayDo } from '../access/access.ts'
import type { Rights } from '../routes/command-context.ts'
import type { VerbOf } from '../routes/resolve-line.ts'
import type { Modal } from '../routes/routes.ts'

type Blocks = Message['blocks']

/** Removes the buttons that one person may not use from what they will read. Does not throw for missing rights. */
export type OnlyPermitted = {
  blocks(rights: Pick<Rights, 'actor' | 'roles'>, blocks: Blocks): Promise<Blocks>
  content<C extends Message | Modal>(rights: Pick<Rights, 'actor' | 'roles'>, content: C): Promise<C>
}

export function createOnlyPermitted(verbOf: VerbOf): OnlyPermitted {
  /** When the rights cannot be read, every button stays: a press checks them again. */
  async function permittedBy(rights: Pick<Rights, 'actor' | 'roles'>): Promise<(blocks: Blocks) => Blocks> {
    const known = await Promise.all([rights.actor(), rights.roles()]).catch(() => undefined)
    if (!known) return (blocks) => blocks
    const [actor, roles] = known
    const isRefused = (line: string): boolean => {
      const verb = verbOf(line)
      return verb !== undefined && !mayDo(actor, roles, verb)
    }
    return (blocks) => withoutCommands(blocks, isRefused)
  }

  return {
    blocks: async (rights, blocks) => (await permittedBy(rights))(blocks),
    async content(rights, content) {
      const permitted = await permittedBy(rights)
      const { classic } = content as Message
      return {
        ...content,
        blocks: permitted(content.blocks.flat()),
        ...(classic && { classic: () => permitted(classic()) }),
      }
    },
  }
}
