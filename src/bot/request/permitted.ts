import { type Message, withoutCommands } from '@signalman/slack'
import { mayDo } from '../access/access.ts'
import type { Rights } from '../routes/command-context.ts'
import type { VerbOf } from '../routes/resolve-line.ts'
import type { Modal } from '../routes/routes.ts'

type Blocks = Message['blocks']

type OwnRights = Pick<Rights, 'actor' | 'roles'>

export type OnlyPermitted = ReturnType<typeof createOnlyPermitted>

/** Removes the buttons that one person may not use from what they will read. Does not throw for missing rights. */
export function createOnlyPermitted(verbOf: VerbOf) {
  /** When the rights cannot be read, every button stays: a press checks them again. */
  async function permittedBy(rights: OwnRights): Promise<(blocks: Blocks) => Blocks> {
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
    blocks: async (rights: OwnRights, blocks: Blocks): Promise<Blocks> => (await permittedBy(rights))(blocks),
    async content<C extends Message | Modal>(rights: OwnRights, content: C): Promise<C> {
      // It was made for these very rights.
      if ('sent' in content) return content
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
