import type { Json } from '../../protocol/json.ts'
import { NO_RESPONSE } from '../api.ts'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { usePage, useShowFailure } from '../page.ts'

function download(scenario: Json): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(scenario, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'scenario.json'
  link.click()
  URL.revokeObjectURL(url)
}

/** A button that starts a recording of what people do, or stops it and downloads it as a scenario that the driver can replay. */
export function RecordButton() {
  const { state, client, dispatch } = usePage()
  const showFailure = useShowFailure()
  const isOn = state.snapshot.recording === true
  const toggle = async () => {
    if (isOn) {
      // Downloads before stopping, so that a failed download doesn't lose the recording.
      const scenario = await client.recording()
      if (scenario === undefined) return showFailure(NO_RESPONSE)
      download(scenario)
    }
    const outcome = await client.record(!isOn)
    showFailure(outcome)
    if (outcome.ok) dispatch({ type: 'recording', isOn: !isOn })
  }
  return (
    <Button
      className={isOn ? 'button small recording' : 'button small'}
      aria-pressed={isOn}
      onClick={() => void toggle()}
    >
      <Icon name="record" /> {isOn ? 'Stop and save' : 'Record'}
    </Button>
  )
}
