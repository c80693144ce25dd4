import { context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { Form, Modal } from '../routes/routes.ts'

type Blocks = readonly (KnownBlock | KnownBlock[])[]

interface Declaration<Values, About, Parts, Seen extends readonly unknown[]>
  extends Omit<Form<Values, About, Parts>, 'read'> {
  title: string
  /** The label of the button that sends it. */
  button: string
  /** True for a window that says above its blocks when it is about OTE; others say so in their words. */
  isMarked?: boolean
  /**
   * What the window shows, and what it remembers until it is sent in; its own title or button where they say what it is about. `false`:
   * this page can't be sent in.
   */
  asks(
    environment: Environment,
    ...seen: Seen
  ): { about?: About; blocks: Blocks; title?: string; button?: string | false }
  /** Absent for a form that is only agreed to. */
  read?: Form<Values, About, Parts>['read']
}

/** A form with the window that it is sent from. */
interface OpenForm<Values, About, Parts, Seen extends readonly unknown[]> extends Form<Values, About, Parts> {
  open(environment: Environment, ...seen: Seen): Modal
}

/** A form, declared once: what its window asks, and what sending it does. */
export function form<Values, About, Parts, Seen extends readonly unknown[]>(
  declared: Declaration<Values, About, Parts, Seen>,
): OpenForm<Values, About, Parts, Seen> {
  const { title: always, button: usual, asks, isMarked, follow, ...rest } = declared
  const marked = (environment: Environment, blocks: Blocks): KnownBlock[] => [
    ...(isMarked && environment === 'ote' ? [context('OTE test environment')] : []),
    ...blocks.flat(),
  ]
  return {
    // Without answers to read there are no values either.
    read: () => undefined as Values,
    ...rest,
    ...(follow && {
      follow: (answers, about, environment) => marked(environment, follow(answers, about, environment)),
    }),
    open(environment, ...seen) {
      const { about, blocks, title = always, button = usual } = asks(environment, ...seen)
      return {
        title,
        form: { id: declared.id, submit: button || undefined },
        ...(about !== undefined && { about }),
        blocks: marked(environment, blocks),
      }
    },
  }
}
