import { context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { Form, Modal } from '../routes/routes.ts'

type Blocks = readonly (KnownBlock | KnownBlock[])[]

interface Declaration<Values, FormState, Deps, Args extends readonly unknown[]>
  extends Omit<Form<Values, FormState, Deps>, 'read'> {
  title: string
  /** The label of the submit button. */
  button: string
  /** Shows an OTE label above the blocks. Leave it off if the text already mentions OTE. */
  showsOteLabel?: boolean
  /**
   * Returns the window's content and the state to keep until it is submitted. Can override the title and the button's label.
   * With `button: false`, the page has no submit button.
   */
  content(
    environment: Environment,
    ...args: Args
  ): { formState?: FormState; blocks: Blocks; title?: string; button?: string | false }
  /** Absent for a form that only asks for confirmation. */
  read?: Form<Values, FormState, Deps>['read']
}

interface OpenForm<Values, FormState, Deps, Args extends readonly unknown[]>
  extends Form<Values, FormState, Deps> {
  open(environment: Environment, ...args: Args): Modal
}

export function form<Values, FormState, Deps, Args extends readonly unknown[]>(
  declared: Declaration<Values, FormState, Deps, Args>,
): OpenForm<Values, FormState, Deps, Args> {
  const {
    title: defaultTitle,
    button: defaultButton,
    content,
    showsOteLabel,
    updateBlocks,
    ...rest
  } = declared
  const withOteLabel = (environment: Environment, blocks: Blocks): KnownBlock[] => [
    ...(showsOteLabel && environment === 'ote' ? [context('OTE test environment')] : []),
    ...blocks.flat(),
  ]
  return {
    // The default for forms without inputs.
    read: () => undefined as Values,
    ...rest,
    ...(updateBlocks && {
      updateBlocks: (answers, formState, environment) =>
        withOteLabel(environment, updateBlocks(answers, formState, environment)),
    }),
    open(environment, ...args) {
      const {
        formState,
        blocks,
        title = defaultTitle,
        button = defaultButton,
      } = content(environment, ...args)
      return {
        title,
        form: { id: declared.id, submit: button || undefined },
        ...(formState !== undefined && { formState }),
        blocks: withOteLabel(environment, blocks),
      }
    },
  }
}

/** Binds a form to the dependencies that it needs to run. */
export function bindForm<Values, FormState, Deps>(
  form: Form<Values, FormState, Deps>,
  deps: Deps,
): Form<Values, FormState> {
  return {
    ...form,
    submit: (context, values, formState) => form.submit(context, values, formState, deps),
  }
}
