import { useState } from 'react'
import type { StepRun } from '../protocol/protocol.ts'
import { failureText, usePage } from './page.ts'
import { Facts, Panel } from './panel.tsx'
import { ParameterForm } from './parameters.tsx'

const STATES = { running: 'Running…', completed: 'Completed.', failed: 'Failed.' } as const

function RunResult({ run: { status, outputs, error } }: { run: StepRun }) {
  return (
    <div role="status">
      <p>
        <strong>{STATES[status]}</strong> {error}
      </p>
      <Facts
        facts={Object.entries(outputs).map(([name, value]) => ({
          name,
          value: typeof value === 'string' ? value : JSON.stringify(value),
        }))}
      />
    </div>
  )
}

/** The app's workflow steps, each with a form to run it and its last result. */
export function Steps() {
  const { state, client } = usePage()
  const { stepFunctions = [], steps = [], me } = state.snapshot
  const [errors, setErrors] = useState<Record<string, string>>({})
  return (
    <Panel title="Workflow steps" closeLabel="Close the workflow steps" bodyLabel="Steps">
      {stepFunctions.map(({ callbackId, title, description, inputs }) => {
        const lastRun = steps.findLast((run) => run.callbackId === callbackId && run.user === me.id)
        const error = errors[callbackId]
        return (
          <section key={callbackId} aria-label={title}>
            <h3>{title}</h3>
            <p className="soft">{description}</p>
            <ParameterForm
              fields={inputs}
              label="Run"
              run={async (values) => {
                const outcome = await client.step({ callbackId, inputs: values })
                const message = outcome.ok ? '' : (failureText(outcome) ?? outcome.message)
                setErrors((all) => ({ ...all, [callbackId]: message }))
              }}
            />
            {error ? <p role="alert">{error}</p> : lastRun && <RunResult run={lastRun} />}
          </section>
        )
      })}
    </Panel>
  )
}
