import { createContext, type ReactNode, useCallback, useId, useState } from 'react'
import type { Confirm } from './block-kit.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { useRequiredContext } from './page.ts'
import { Plain, TextObjectView } from './text/text-view.tsx'

type AskConfirmation = (confirm: Confirm) => Promise<boolean>

const ConfirmContext = createContext<AskConfirmation | undefined>(undefined)

/** Returns a function that shows an element's confirmation dialog and resolves to the person's answer. */
export function useConfirm(): AskConfirmation {
  return useRequiredContext(ConfirmContext)
}

interface Question {
  confirm: Confirm
  answer: (agreed: boolean) => void
}

function ConfirmDialog({ question: { confirm, answer } }: { question: Question }) {
  const id = useId()
  return (
    <Dialog
      className="confirm"
      labelledBy={`${id}-title`}
      describedBy={`${id}-text`}
      onCancel={() => answer(false)}
    >
      <h2 id={`${id}-title`} className="dialog-title">
        <Plain text={confirm.title ?? 'Are you sure?'} />
      </h2>
      <TextObjectView id={`${id}-text`} text={confirm.text} />
      <div className="dialog-buttons">
        <Button className="button" onClick={() => answer(false)}>
          <Plain text={confirm.deny ?? 'Cancel'} />
        </Button>
        <Button
          className={`button ${confirm.style === 'danger' ? 'danger' : 'primary'}`}
          onClick={() => answer(true)}
        >
          <Plain text={confirm.confirm ?? 'Yes'} />
        </Button>
      </div>
    </Dialog>
  )
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>()
  const ask = useCallback<AskConfirmation>(
    (confirm) =>
      new Promise((resolve) => {
        const answer = (agreed: boolean) => {
          setQuestion(undefined)
          resolve(agreed)
        }
        setQuestion({ confirm, answer })
      }),
    [],
  )
  return (
    <ConfirmContext value={ask}>
      {children}
      {question && <ConfirmDialog question={question} />}
    </ConfirmContext>
  )
}
