import { context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { Form, Modal } from '../routes/routes.ts'

type Blocks = readonly (KnownBlock | KnownBlock[])[]

interface Declaration<Values, About, Deps, Args extends readonly unknown[]>
  extends Omit<Form<Values, About, Deps>, 'read'> {
  title: string
  /** The label of the submit button. */
  button: string
  /** True for a window that names OTE above its blocks. Other windows name it in their text. */
  showsOteLabel?: boolean
  /**
   * Returns the window's content and the state to keep until it is submitted. May replace the title and the button; with
   * `false`, this page can't be submitted.
   */
  content(
    environment: Environment,
    ...seen: Args
  ): { about?: About; blocks: Blocks; title?: string; button?: string | false }
  /** Absent for a form that only asks for confirmation. */
  read?: Form<Values, About, Deps>['read']
}

/** A form that can open its window. */
interface OpenForm<Values, About, Deps, Seen extends readonly unknown[]> extends Form<Values, About, Deps> {
  open(environment: Environment, ...seen: Seen): Modal
}

/** Declares a form: its window, and what submitting it does. */
export function form<Values, About, Deps, Seen extends readonly unknown[]>(
  declared: Declaration<Values, About, Deps, Seen>,
): OpenForm<Values, About, Deps, Seen> {
  const { title: defaultTitle, button: defaultButton, content, showsOteLabel, follow, ...rest } = declared
  const withOteLabel = (environment: Environment, blocks: Blocks): KnownBlock[] => [
    ...(showsOteLabel && environment === 'ote' ? [context('OTE test environment')] : []),
    ...blocks.flat(),
  ]
  return {
    // A form that reads no answers has no values.
    read: () => undefined as Values,
    ...rest,
    ...(follow && {
      follow: (answers, about, environment) => withOteLabel(environment, follow(answers, about, environment)),
    }),
    open(environment, ...seen) {
      const { about, blocks, title = defaultTitle, button = defaultButton } = content(environment, ...seen)
      return {
        title,
        form: { id: declared.id, submit: button || undefined },
        ...(about !== undefined && { about }),
        blocks: withOteLabel(environment, blocks),
      }
    },
  }
}
