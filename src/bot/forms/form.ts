import { context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { Form, Modal } from '../routes/routes.ts'

type Blocks = readonly (KnownBlock | KnownBlock[])[]

interface Declaration<Values, About, Parts, Seen extends readonly unknown[]>
  extends Omit<Form<Values, About, Parts>, 'read'> {
  title: string
  /** The label of the submit button. */
  button: string
  /** True for a window that names OTE above its blocks; others name it in their text. */
  isMarked?: boolean
  /**
   * The window's content, and what it remembers until it is submitted. May set its own title or button. `false`: this page
   * can't be submitted.
   */
  asks(
    environment: Environment,
    ...seen: Seen
  ): { about?: About; blocks: Blocks; title?: string; button?: string | false }
  /** Absent for a form that only asks for confirmation. */
  read?: Form<Values, About, Parts>['read']
}

/** A form and the window that was submitted. */
interface OpenForm<Values, About, Parts, Seen extends readonly unknown[]> extends Form<Values, About, Parts> {
  open(environment: Environment, ...seen: Seen): Modal
}

/** A form, declared once: what its window asks, and what submitting it does. */
export function form<Values, About, Parts, Seen extends readonly unknown[]>(
  declared: Declaration<Values, About, Parts, Seen>,
): OpenForm<Values, About, Parts, Seen> {
  const { title: always, button: usual, asks, isMarked, follow, ...rest } = declared
  const marked = (environment: Environment, blocks: Blocks): KnownBlock[] => [
    ...(isMarked && environment === 'ote' ? [context('OTE test environment')] : []),
    ...blocks.flat(),
  ]
  return {
    // A form that reads no answers has no values.
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
