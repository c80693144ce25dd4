import { useState } from 'react'
import type { FileInfo } from '../../protocol/protocol.ts'
import { Icon } from '../icon.tsx'
import { formatSize } from '../use-upload.ts'

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const TEXT_TYPES = /^text\/|json$|x-pem-file$|pkcs10$|xml$/
const MAX_PREVIEW_LENGTH = 4000

/** The beginning of a text file, loaded when the person opens the preview. */
function TextPreview({ file }: { file: FileInfo }) {
  const [text, setText] = useState<string>()
  const load = async () => {
    const response = await fetch(file.href)
    const content = response.ok ? await response.text() : 'This file no longer exists.'
    setText(content.length > MAX_PREVIEW_LENGTH ? `${content.slice(0, MAX_PREVIEW_LENGTH)}\n…` : content)
  }
  return (
    <details
      className="file-preview soft"
      onToggle={(event) => {
        if (event.currentTarget.open && text === undefined) void load()
      }}
    >
      <summary>Preview {file.name}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0}>{text ?? 'Loading…'}</pre>
    </details>
  )
}

/** A file in a message, with a download link. Images are shown immediately. Text files have a preview that people can open. */
export function FileView({ file }: { file: FileInfo }) {
  return (
    <div className="file">
      {IMAGE_TYPES.has(file.mimetype) && (
        <img className="picture" src={file.href} alt={file.altText || file.title} />
      )}
      <a href={file.href} download={file.name} className="file-link">
        <Icon name="file" />
        <span>
          <strong>{file.title || file.name}</strong>
          <span className="menu-detail">{formatSize(file.size)} · download</span>
        </span>
      </a>
      {TEXT_TYPES.test(file.mimetype) && <TextPreview file={file} />}
    </div>
  )
}
