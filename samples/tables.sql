-- Two conditions on a union of a table with itself.
CREATE VIEW cheap AS
  SELECT DISTINCT name
  FROM (SELECT * FROM goods WHERE price * (vat + 100) < 2000 UNION SELECT * FROM goods WHERE price * (vat + 100) < 2000)
  WHERE maker = 'O''Hara' OR stock > 5;
