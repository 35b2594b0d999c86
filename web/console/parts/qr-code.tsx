import { useEffect, useState } from 'preact/hooks'
import { t } from '../language.ts'

/** A QR code that the service has drawn. */
export function QrCode({ svg }: { svg: string }) {
  const [code, setCode] = useState('')
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
    setCode(address)
    return () => URL.revokeObjectURL(address)
  }, [svg])
  return code === '' ? null : <img class="qr" src={code} alt={t('QR code')} width="240" height="240" />
}
