import { IconButton } from './button.tsx'
import { usePage } from './page.ts'

/** Notices that don't belong to a message or a modal. */
export function Notices() {
  const { state, dispatch } = usePage()
  return (
    <div className="notices" role="status">
      {state.notices.map(({ id, text }) => (
        <div key={id} className="notice">
          <p>{text}</p>
          <IconButton
            icon="close"
            label="Dismiss notice"
            onClick={() => dispatch({ type: 'dismiss-notice', id })}
          />
        </div>
      ))}
    </div>
  )
}
