import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** The sidebar on a narrow screen. It covers the conversation, and closes on Escape or a click outside. */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Dialog className="drawer" labelledBy="workspace-name" onCancel={onClose} onPressOutside={onClose}>
      <IconButton
        icon="close"
        label="Close the sidebar"
        className="button icon drawer-close"
        onClick={onClose}
      />
      {children}
    </Dialog>
  )
}
