import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { OpenView, View } from '../protocol/protocol.ts'
import { Blocks } from './blocks/block.tsx'
import { Button, IconButton } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { failureText, useActions } from './page.ts'
import { SurfaceContext, useNewSurface } from './surface.ts'
import { Plain } from './text/text-view.tsx'

const FIELD_SELECTOR = 'input:not([type=hidden]), select, textarea'

function focusFirst(form: HTMLFormElement | null) {
  form?.querySelector<HTMLElement>(FIELD_SELECTOR)?.focus()
}

/** Returns the errors of the last submission by block ID, and a function that clears a block's error once the person changes it. */
function useErrors(submissionErrors: Record<string, string>) {
  const [errors, setErrors] = useState(submissionErrors)
  const [lastErrors, setLastErrors] = useState(submissionErrors)
  // Replaces the errors during rendering, which React recommends over an effect when a prop changes.
  if (lastErrors !== submissionErrors) {
    setLastErrors(submissionErrors)
    setErrors(submissionErrors)
  }
  const clearError = (blockId: string) =>
    setErrors((all) => Object.fromEntries(Object.entries(all).filter(([id]) => id !== blockId)))
  return { errors, clearError }
}

function ModalHeader({
  id,
  view,
  depth,
  onClose,
}: {
  id: string
  view: View
  depth: number
  onClose: () => void
}) {
  return (
    <header className="modal-head">
      <h2 id={`${id}-title`} className="dialog-title">
        <Plain text={view.title ?? 'Untitled'} />
      </h2>
      {depth > 0 && <span className="soft">{depth + 1} of 3</span>}
      <IconButton icon="close" label={depth > 0 ? 'Close all' : 'Close window'} onClick={onClose} />
    </header>
  )
}

function ModalFooter({ view, busy, onCancel }: { view: View; busy: boolean; onCancel: () => void }) {
  return (
    <footer className="dialog-buttons">
      <Button className="button" onClick={onCancel}>
        <Plain text={view.close ?? (view.submit ? 'Cancel' : 'Close')} />
      </Button>
      {view.submit && (
        <button type="submit" className="button primary" disabled={busy}>
          {busy && <span className="spinner" aria-hidden="true" />}
          <Plain text={view.submit} />
        </button>
      )}
    </footer>
  )
}

/** One view of the stack. A view below another one is hidden, but keeps its entered values. */
function Modal({ open, isCovered, depth }: { open: OpenView; isCovered: boolean; depth: number }) {
  const { view } = open
  const { client } = useActions()
  const { errors, clearError } = useErrors(open.errors)
  const surface = useNewSurface({ kind: 'view', viewId: view.id }, view.blocks, clearError)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  const close = (all: boolean) => void client.close({ viewId: view.id, ...(all ? { all } : {}) })
  // A string, so that the effect below runs only when the set of blocks with errors changes.
  const invalidBlockIds = Object.keys(errors).join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new hash means that the app has replaced the view's content
  useEffect(() => {
    if (!isCovered && !form.current?.querySelector('.modal-body :focus')) focusFirst(form.current)
  }, [isCovered, view.hash])
  useEffect(() => {
    if (invalidBlockIds !== '')
      form.current?.querySelector<HTMLElement>(`.faulty :is(${FIELD_SELECTOR})`)?.focus()
  }, [invalidBlockIds])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setFailure(undefined)
    setBusy(true)
    const outcome = await client.submit({ viewId: view.id, values: surface.values })
    setBusy(false)
    setFailure(failureText(outcome))
  }
  const banner = failure ?? open.banner
  return (
    <Dialog className="modal" labelledBy={`${id}-title`} hidden={isCovered} onCancel={() => close(false)}>
      <form
        ref={form}
        className="modal-form"
        noValidate
        onSubmit={(event) => void submit(event)}
        aria-busy={busy}
      >
        <ModalHeader id={id} view={view} depth={depth} onClose={() => close(depth > 0)} />
        {banner !== null && banner !== undefined && (
          <p className="banner" role="alert">
            <Icon name="warning" />
            {banner}
          </p>
        )}
        {/* Keyed, so that a view that takes the place of another one is read from its top. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <section key={view.title?.text} className="modal-body" tabIndex={0} aria-labelledby={`${id}-title`}>
          <SurfaceContext value={surface}>
            <Blocks blocks={view.blocks} errors={errors} />
          </SurfaceContext>
        </section>
        <ModalFooter view={view} busy={busy} onCancel={() => close(false)} />
      </form>
    </Dialog>
  )
}

/** The open views, bottom first. Only the top one is visible. */
export function ModalStack({ views }: { views: readonly OpenView[] }) {
  return views.map((open, depth) => (
    <Modal key={open.view.id} open={open} depth={depth} isCovered={depth < views.length - 1} />
  ))
}
