-- When the newest shop/update was made and sent, so that an older one changes nothing.
ALTER TABLE stores ADD COLUMN shop_updated_at timestamptz;
ALTER TABLE stores ADD COLUMN shop_triggered_at timestamptz;
-- whether products count as in the shop that its online store does not show
ALTER TABLE stores ADD COLUMN sells_without_online_store boolean NOT NULL DEFAULT false;
