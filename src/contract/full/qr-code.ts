import { renderSVG } from 'uqr'

/** Modules around a QR code, as its standard asks for (ISO/IEC 18004). */
const quietZone = 4

/** The QR code of an address, as SVG. */
export const drawQrCode = (address: string): string => renderSVG(address, { border: quietZone })
